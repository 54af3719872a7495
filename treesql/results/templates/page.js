// Copies, and marks the section that is read in the contents; nothing is lost without it.
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
  });
}
const contents = [...document.querySelectorAll('.report nav a')];
if (contents.length) {
  const topOf = link => document.getElementById(link.hash.slice(1)).getBoundingClientRect().top;
  const markSection = () => {
    const atEnd = scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 2;
    const current = atEnd ? contents.at(-1) : contents.findLast(link => topOf(link) < 200) ?? contents[0];
    for (const link of contents) link.ariaCurrent = link === current ? 'true' : null;
  };
  addEventListener('scroll', markSection, { passive: true });
  markSection();
}
