// Sorts the rows of tables at a click on a head. pattern: matches a number in a cell; cells without one stand behind the
// others after the first click, which sorts by firstTurn.
function sortTables(pattern, firstTurn) {
  const otherTurn = firstTurn === 'ascending' ? 'descending' : 'ascending';
  const behind = firstTurn === 'ascending' ? 1 : -1;
  const number = text => {
    const found = pattern.exec(text);
    return found ? Number(found[0].replace(/[,%]/g, '')) : NaN;
  };
  for (const table of document.querySelectorAll('.sorted > table')) {
    if (!table.tHead) continue;
    const body = table.tBodies[0];
    const first = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const turn = head.getAttribute('aria-sort') === firstTurn ? otherTurn : firstTurn;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', turn);
        const key = row => row.cells[at].textContent.trim();
        const order = (a, b) => {
          const x = number(key(a)), y = number(key(b));
          if (Number.isNaN(x) && Number.isNaN(y)) return key(a).localeCompare(key(b));
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) ? behind : -behind;
          return x - y;
        };
        body.append(...first.slice().sort((a, b) => turn === 'ascending' ? order(a, b) : order(b, a)));
      });
    });
  }
}
