// Faults of a page as it is laid out now, as texts: formulas wrapped, cut or over each other, text over text, cut text,
// and a page that is wider than the window. Of what is folded or out of sight nothing is said.
() => {
  const faults = [];
  const seen = (place) => place.checkVisibility({ visibilityProperty: true });
  const words = (text) => text.replace(/\s+/g, " ").trim().slice(0, 80);
  const apart = (a, b) => a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const meet = (a, b, deep) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > deep;

  const wider = document.documentElement.scrollWidth - window.innerWidth;
  if (wider > 0) faults.push(`${wider} px too wide`);

  const shown = [...document.querySelectorAll(".tex")].filter(seen);
  const lines = shown.map((place) =>
    [...place.querySelectorAll(".katex-html > .katex-base")].map((base) => base.getBoundingClientRect()));
  shown.forEach((place, i) => {
    const source = place.dataset.tex;
    if (!lines[i].length) faults.push(`not set: ${source}`);
    if (lines[i].some((a) => lines[i].some((b) => apart(a, b)))) faults.push(`wrapped: ${source}`);
    const scrolls = place.matches(".math-block, .wide");
    if (scrolls && place.scrollHeight > place.clientHeight + 1) faults.push(`cut: ${source}`);
    if (i && lines[i].some((a) => lines[i - 1].some((b) => meet(a, b, 6)))) faults.push(`over its neighbour: ${source}`);
  });

  // What lies outside of a box that scrolls or clips is out of sight: each rectangle is cut to those around it.
  const scrolling = new Map();
  const clip = (place) => {
    if (place === null || place === document.body) return null;
    if (!scrolling.has(place)) {
      const style = getComputedStyle(place), above = clip(place.parentElement);
      const own = `${style.overflowX} ${style.overflowY}` === "visible visible" ? null : place.getBoundingClientRect();
      scrolling.set(place, own && above ? inner(own, above) : own || above);
    }
    return scrolling.get(place);
  };
  const inner = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
    top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });
  const fixed = (place) => place.closest("header, .sidebar-drawer, .toc-drawer, .skip-to-content, .back-to-top");

  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const place = node.parentElement;
    if (!node.textContent.trim() || !seen(place)) continue;
    if (place.closest(".katex, script, style, noscript, .visually-hidden") || fixed(place)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const around = clip(place);
    for (const line of range.getClientRects()) {
      const box = around ? inner(line, around) : line;
      if (box.right - box.left > 1 && box.bottom - box.top > 1) boxes.push({ box, node });
    }
  }
  boxes.sort((a, b) => a.box.top - b.box.top);
  boxes.forEach(({ box, node }, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].box.top < box.bottom; j += 1) {
      const other = boxes[j];
      if (other.node !== node && meet(box, other.box, 5))
        faults.push(`text over text: ${words(node.textContent)} | ${words(other.node.textContent)}`);
    }
  });

  for (const place of document.querySelectorAll("main *, article *")) {
    if (!seen(place) || place.closest(".katex, svg, .visually-hidden")) continue;
    const style = getComputedStyle(place);
    const hidden = (kind) => kind === "hidden" || kind === "clip";
    if (hidden(style.overflowX) && place.scrollWidth > place.clientWidth + 1 && place.clientWidth > 0)
      faults.push(`cut at the side: ${words(place.textContent)}`);
    if (hidden(style.overflowY) && !place.matches(".tex") && place.scrollHeight > place.clientHeight + 2 && place.clientHeight > 0)
      faults.push(`cut below: ${words(place.textContent)}`);
  }
  return faults;
}
