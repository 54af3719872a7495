// Hides rows without a marked difference, and copies; nothing is lost without it.
for (const label of document.querySelectorAll('label.filter')) {
  label.hidden = false;
  label.firstElementChild.addEventListener('change', event => {
    for (const row of document.querySelectorAll('tr.alike')) row.hidden = event.target.checked;
  });
}
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
  });
}
