'use strict';
{% include "tables.js" %}
{% include "page.js" %}
sortTables(/^-?[\d,]*\.?\d+(e[+-]?\d+)?%?$/, 'ascending');
const running = document.getElementById('running');
const began = () => { running.hidden = false; };
const ended = () => { running.hidden = true; };
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', began);
}
for (const link of document.querySelectorAll('main a[href]:not([download])')) {
  link.addEventListener('click', event => {
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button);
    if (plain && link.origin === location.origin && link.pathname + link.search !== location.pathname + location.search) began();
  });
}
document.getElementById('stop').addEventListener('click', () => { window.stop(); ended(); });
window.addEventListener('pageshow', ended);
const keys = document.getElementById('keys');
keys.querySelector('button').addEventListener('click', () => keys.close());
window.addEventListener('keydown', event => {
  if (event.key === 'Escape' && !running.hidden) { window.stop(); ended(); }
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.form) event.target.form.requestSubmit();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, textarea, select')) return;
  const near = { n: 'a[rel=next]', p: 'a[rel=prev]' }[event.key];
  if (near) document.querySelector(near)?.click();
  if (event.key === '?') keys.showModal();
  if (event.key === '/') {
    event.preventDefault();
    if (editor) editor.focus(); else location.href = '/search';
  }
});
const editor = document.querySelector('textarea[name=q]');
const names = new Set();
function insert(text, start) {
  editor.focus();
  editor.setRangeText(text, start, editor.selectionEnd, 'end');
}
for (const name of document.querySelectorAll('[data-insert]')) {
  names.add(name.dataset.insert.replace(/\(.*/, ''));
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'insert';
  button.append(...name.childNodes);
  button.addEventListener('click', () => insert(name.dataset.insert, editor.selectionStart));
  name.append(button);
}
for (const hint of document.querySelectorAll('.scripted')) hint.hidden = false;
if (names.size) editor.addEventListener('keydown', event => {
  if (event.key !== ' ' || !event.ctrlKey) return;
  event.preventDefault();
  const part = /\w*$/.exec(editor.value.slice(0, editor.selectionStart))[0];
  const fitting = [...names].filter(name => part && name.startsWith(part));
  if (!fitting.length) return;
  let shared = fitting[0];
  for (const name of fitting) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  insert(shared, editor.selectionStart - part.length);
});
