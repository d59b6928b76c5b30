// Draws a figure again where its sliders stand: everything is in the page, a value for each position.
(() => {
  const figure = document.currentScript.closest(".play");
  const page = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const sliders = [...figure.querySelectorAll("input")];
  const part = (name) => figure.querySelector(`[data-part="${name}"]`);
  const at = (by) => by.reduce((index, control) => index * page.sizes[control] + Number(sliders[control].value), 0);
  const share = (axis, value) =>
    axis.log
      ? Math.log(Math.max(value, axis.low) / axis.low) / Math.log(axis.high / axis.low)
      : (value - axis.low) / (axis.high - axis.low);
  const place = (axis, value) => (axis.start + (axis.end - axis.start) * share(axis, value)).toFixed(1);
  const point = (x, y) => `${place(page.x, x)} ${place(page.y, y)}`;

  const line = (curve) => {
    const values = curve.values[at(curve.by)];
    const seen = curve.grid.map((x, i) => [x, values[i]]).filter(([, y]) => y !== null && y >= page.y.low);
    if (!seen.length) return "";
    const ends = [seen[seen.length - 1], seen[0]].map(([x]) => "L" + point(x, page.y.low));
    return "M" + seen.map(([x, y]) => point(x, y)).join("L") + (curve.area ? ends.join("") + "Z" : "");
  };

  const draw = () => {
    sliders.forEach((slider, control) => {
      const words = page.labels[control][slider.value];
      slider.setAttribute("aria-valuetext", words);
      part(`value-${control}`).textContent = words;
    });
    for (const [name, curve] of Object.entries(page.curves)) part(name).setAttribute("d", line(curve));
    for (const [name, mark] of Object.entries(page.marks)) {
      const value = mark.values[at(mark.by)];
      part(name).setAttribute("visibility", value ? "visible" : "hidden");
      if (value) part(name).setAttribute("cx", place(page.x, value[0]));
      if (value) part(name).setAttribute("cy", place(page.y, value[1]));
    }
    for (const [name, text] of Object.entries(page.texts)) part(name).textContent = text.values[at(text.by)];
  };

  sliders.forEach((slider) => (slider.oninput = draw));
  draw();
})();
