// Three things that a page cannot do by itself: focus for what scrolls, the graph's filter, labels in the search.
(() => {
"use strict";
const squeeze = (text) => text.toLowerCase().replace(/[\s\-_]/g, "");
const ready = (act) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", act) : act());

ready(() => {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .math-block")) {
    if (box.scrollWidth <= box.clientWidth) continue;
    box.tabIndex = 0;
    if (!box.hasAttribute("role")) { box.setAttribute("role", "region"); box.setAttribute("aria-label", "scrolls sideways"); }
  }
});

ready(() => {
  const graph = document.getElementById("graph");
  if (!graph) return;
  const form = document.querySelector(".gctl"), out = document.getElementById("gout");
  const all = document.getElementById("gall"), find = document.getElementById("gfind");
  const nodes = [...graph.querySelectorAll(".n")], edges = [...graph.querySelectorAll(".edges path")];
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
    graph.classList.add("focus");
    for (const node of nodes) {
      node.classList.toggle("on", lower.has(name(node)) || upper.has(name(node)));
      node.classList.toggle("at", name(node) === label);
    }
    for (const edge of edges) edge.classList.toggle("on", inside(edge, lower) || inside(edge, upper));
    out.textContent = `${label}: rests on ${below.size}, supports ${above.size}`;
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
    for (const edge of edges) edge.classList.toggle("off", gone.has(edge.dataset.a) || gone.has(edge.dataset.b));
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
  const rank = ([label, number, title]) => {
    const short = squeeze(label.slice(label.indexOf("-") + 1));
    if ([squeeze(label), short, squeeze(number)].includes(wanted)) return 3;
    if (squeeze(title).startsWith(wanted)) return 2;
    const row = squeeze(label + number + title);
    const words = asked.split(/\s+/), missing = words.filter((word) => !row.includes(squeeze(word))).length;
    return missing ? (missing === 1 && words.length > 2 ? 0.5 : 0) : 1;  // of three words and more one may be missing
  };
  const hits = LABELS.map((row) => [rank(row), row]).filter(([value]) => value).sort((a, b) => b[0] - a[0]).slice(0, 12);
  if (!hits.length) return;
  const list = document.createElement("ul");
  list.id = "found-labels";
  list.setAttribute("aria-label", "Statements");
  for (const [, [label, number, title, page, verdict]] of hits) {
    const item = list.appendChild(document.createElement("li")), link = item.appendChild(document.createElement("a"));
    link.href = `statement/${page}.html`;
    link.textContent = `${label}${number ? ` (${number})` : ""}: ${title} `;
    const chip = item.appendChild(document.createElement("span"));
    chip.className = `v v-${verdict}`;
    chip.textContent = verdict;
  }
  const title = document.createElement("h2");
  title.textContent = "Statements";
  results.before(title, list);
});
})();
