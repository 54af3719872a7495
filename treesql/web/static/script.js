'use strict';
for (const table of document.querySelectorAll('table.sorted')) {
  const body = table.tBodies[0];
  const first = [...body.rows];
  const number = text => {
    const found = /^-?[\d,]*\.?\d+(e[+-]?\d+)?%?$/.exec(text);
    return found ? Number(text.replace(/[,%]/g, '')) : NaN;
  };
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const turn = head.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', turn);
      const key = row => row.cells[at].textContent.trim();
      const order = (a, b) => {
        const x = number(key(a)), y = number(key(b));
        if (Number.isNaN(x) && Number.isNaN(y)) return key(a).localeCompare(key(b));
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
        return x - y;
      };
      body.append(...first.slice().sort((a, b) => turn === 'ascending' ? order(a, b) : order(b, a)));
    });
  });
}
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
