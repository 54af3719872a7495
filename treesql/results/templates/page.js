// Copies; nothing is lost without it.
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
  });
}
