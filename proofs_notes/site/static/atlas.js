// What a page cannot do by itself: KaTeX's type for formulas, which are copied as TeX; focus for what scrolls; links
// to headings; the graph's filter; labels in the search.
(() => {
"use strict";
const STOP = new Set("a an and are as at be by for from how i in is it of on or that the to what when which why with".split(" "));
const squeeze = (text) => text.toLowerCase().replace(/[\s\-_]/g, "");
const ready = (act) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", act) : act());

ready(() => {
  for (const place of document.querySelectorAll(".tex[data-tex]")) {
    katex.render(place.dataset.tex, place, { displayMode: place.matches(".math-block") });
  }
  const fit = () => {
    const inline = [...document.querySelectorAll(".tex:not(.math-block)")];
    for (const place of inline) place.classList.remove("wide");
    const wide = inline.filter((place) => place.offsetWidth > (place.closest("p, li, td, dd, summary") ?? document.body).clientWidth);
    for (const place of wide) place.classList.add("wide");
  };
  fit();
  addEventListener("resize", fit);
});

ready(() => {
  for (const place of document.querySelectorAll("article section[id] > :is(h1, h2, h3), article dt[id]")) {
    const link = place.appendChild(document.createElement("a"));
    link.className = "headerlink";
    link.href = `#${place.id || place.parentElement.id}`;
    link.title = "Link to this place";
    link.textContent = "¶";
  }
});

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (selection.isCollapsed) return;
  const copied = selection.getRangeAt(0).cloneContents(), formulas = copied.querySelectorAll(".katex");
  if (!formulas.length) return;
  for (const formula of formulas) {
    const source = formula.querySelector("annotation");
    if (source) formula.replaceWith(formula.closest(".katex-display") ? `$$${source.textContent}$$` : `$${source.textContent}$`);
  }
  event.clipboardData.setData("text/plain", copied.textContent);
  event.preventDefault();
});

ready(() => {
  const boxes = [...document.querySelectorAll("pre, .table-wrapper, .tex")];
  const mark = (box) => {
    if (box.scrollWidth <= box.clientWidth) return;
    box.tabIndex = 0;
    if (!box.hasAttribute("role")) { box.setAttribute("role", "region"); box.setAttribute("aria-label", "scrolls sideways"); }
  };
  // A fold that opens and a font that arrives change what is too wide.
  const watch = new ResizeObserver((changes) => changes.forEach((change) => mark(change.target)));
  for (const box of boxes) watch.observe(box);
  document.fonts.ready.then(() => boxes.forEach(mark));
});

ready(() => {
  const graph = document.getElementById("graph");
  if (!graph) return;
  const form = document.querySelector(".gctl"), out = document.getElementById("gout");
  const all = document.getElementById("gall"), find = document.getElementById("gfind");
  const nodes = [...graph.querySelectorAll(".n")], edges = [...graph.querySelectorAll(".edges path")];
  const swaps = [...graph.querySelectorAll(".swaps path")];
  const name = (node) => node.id.slice(2);
  form.hidden = false;

  const reach = (start, from, to) => {
    const seen = new Set(), todo = [start];
    while (todo.length) {
      const at = todo.pop();
      for (const edge of edges) {
        if (edge.dataset[from] !== at || seen.has(edge.dataset[to])) continue;
        seen.add(edge.dataset[to]);
        if (all.checked) todo.push(edge.dataset[to]);
      }
    }
    return seen;
  };
  const focus = (label) => {
    const below = reach(label, "b", "a"), above = reach(label, "a", "b");
    const lower = new Set([...below, label]), upper = new Set([...above, label]);
    const inside = (edge, set) => set.has(edge.dataset.a) && set.has(edge.dataset.b);
    const mine = swaps.filter((edge) => [edge.dataset.a, edge.dataset.b].includes(label));
    const other = new Set(mine.flatMap((edge) => [edge.dataset.a, edge.dataset.b]));
    graph.classList.add("focus");
    for (const edge of swaps) edge.classList.toggle("on", mine.includes(edge));
    for (const node of nodes) {
      node.classList.toggle("on", lower.has(name(node)) || upper.has(name(node)) || other.has(name(node)));
      node.classList.toggle("at", name(node) === label);
    }
    for (const edge of edges) edge.classList.toggle("on", inside(edge, lower) || inside(edge, upper));
    const better = mine.filter((edge) => edge.dataset.a === label).map((edge) => edge.dataset.b);
    out.textContent = `${label}: rests on ${below.size}, supports ${above.size}${better.length ? `; use instead: ${better.join(", ")}` : ""}`;
  };
  const blur = () => {
    graph.classList.remove("focus");
    for (const node of nodes) node.classList.remove("at");
    out.textContent = "";
  };
  const show = (node) => {
    focus(name(node));
    node.scrollIntoView({ block: "center", inline: "center" });
  };
  const filter = () => {
    const on = new Set([...form.querySelectorAll("input[name]:checked")].map((box) => box.value));
    const gone = new Set();
    for (const node of nodes) {
      const hide = !on.has(node.dataset.p) || !on.has(node.dataset.v);
      node.classList.toggle("off", hide);
      if (hide) gone.add(name(node));
    }
    for (const edge of [...edges, ...swaps]) edge.classList.toggle("off", gone.has(edge.dataset.a) || gone.has(edge.dataset.b));
  };
  for (const node of nodes) {
    node.addEventListener("pointerenter", () => focus(name(node)));
    node.addEventListener("focus", () => focus(name(node)));
  }
  graph.addEventListener("pointerleave", blur);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("input", () => {
    const wanted = squeeze(find.value);
    const rank = (node) => {
      const label = squeeze(name(node));
      if (label === wanted || label.endsWith(wanted)) return 2;
      return squeeze(name(node) + node.querySelector("title").textContent).includes(wanted) ? 1 : 0;
    };
    const best = nodes.map((node) => [rank(node), node]).sort((a, b) => b[0] - a[0])[0];
    if (wanted && best[0]) show(best[1]);
    else blur();
  });
  const asked = document.getElementById(`n-${decodeURIComponent(location.hash.slice(1))}`);
  if (asked && graph.contains(asked)) show(asked);
});

ready(() => {
  const results = document.getElementById("search-results");
  const asked = new URLSearchParams(location.search).get("q");
  if (!results || !asked || typeof LABELS === "undefined") return;
  const wanted = squeeze(asked);
  const KINDS = /^(?:theorem|lemma|claim|corollary|definition|proposition|fact|figure|algorithm|remark|display|equation|eq)\.?\s*\(?([\w.]+?)\)?$/i;
  const printed = asked.trim().match(KINDS);  // editions differ in the kind, seldom in the number
  const words = asked.toLowerCase().split(/\s+/).filter((word) => word && !STOP.has(word));
  const has = (row, word) => [word, SYNONYMS[word] ?? word].some((form) => row.includes(squeeze(form)));
  const rank = ([label, number, title, , verdict, said]) => {
    const short = squeeze(label.slice(label.indexOf("-") + 1));
    if ([squeeze(label), short, squeeze(number)].includes(wanted)) return 5;
    if (printed && number.replace(/[()]/g, "").split(" ").pop() === printed[1]) return 4;
    if ([verdict, WORDS[verdict]].map(squeeze).includes(wanted)) return 3;
    if (squeeze(title).startsWith(wanted)) return 3;
    const row = squeeze(label + number + title + WORDS[verdict]), all = row + squeeze(said);
    if (!words.length) return 0;
    if (words.every((word) => has(row, word))) return 2;
    if (words.every((word) => has(all, word))) return 1;
    return words.length > 2 && words.filter((word) => !has(all, word)).length === 1 ? 0.5 : 0;  // one may be missing
  };
  const hits = LABELS.map((row) => [rank(row), row]).filter(([value]) => value).sort((a, b) => b[0] - a[0]);
  if (!hits.length) return;
  const list = document.createElement("ul");
  list.id = "found-labels";
  list.setAttribute("aria-label", "Statements");
  for (const [, [label, number, title, page, verdict, said]] of hits) {
    const item = list.appendChild(document.createElement("li")), link = item.appendChild(document.createElement("a"));
    link.href = `statement/${page}.html`;
    link.textContent = `${label}${number ? ` (${number})` : ""}: ${title} `;
    const chip = item.appendChild(document.createElement("span"));
    chip.className = `v v-${verdict}`;
    chip.textContent = WORDS[verdict];
    item.appendChild(document.createElement("p")).textContent = said;
  }
  const title = document.createElement("h2");
  title.textContent = hits.length === 1 ? "One statement" : `${hits.length} statements`;
  results.before(title, list);
});
})();
