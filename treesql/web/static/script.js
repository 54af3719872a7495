'use strict';
sortTables(/^-?[\d,]*\.?\d+(e[+-]?\d+)?%?$/, 'ascending');
const running = document.getElementById('running');
const began = () => { running.hidden = false; };
const ended = () => { running.hidden = true; };
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', () => {
    for (const box of form.querySelectorAll('input[type=checkbox][data-pair]')) {
      form.querySelector(`input[type=hidden][data-pair="${box.dataset.pair}"]`).disabled = !box.checked;
    }
    began();
  });
}
for (const link of document.querySelectorAll('main a[href]:not([download])')) {
  link.addEventListener('click', event => {
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
    if (plain && link.origin === location.origin && link.pathname + link.search !== location.pathname + location.search) began();
  });
}
document.getElementById('stop').addEventListener('click', () => { window.stop(); ended(); });
window.addEventListener('pageshow', ended);
window.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !running.hidden) { window.stop(); ended(); }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.form) event.target.form.requestSubmit();
});
