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
  const markSection = () => {
    const above = contents.filter(link => document.getElementById(link.hash.slice(1)).getBoundingClientRect().top < innerHeight / 3);
    const current = above.at(-1) ?? contents[0];
    for (const link of contents) link.ariaCurrent = link === current ? 'true' : null;
  };
  addEventListener('scroll', markSection, { passive: true });
  markSection();
}
