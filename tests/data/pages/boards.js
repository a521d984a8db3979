(() => {
const all = (svg, kind) => Array.from(svg.querySelectorAll(`circle.${kind}[r="12"]`));
const places = (svg, kind) => all(svg, kind).map(one => [+one.getAttribute("cx"), +one.getAttribute("cy")]);
return Array.from(document.querySelectorAll("ol.boards svg.board"), svg => ({
  own: places(svg, "seat0"), other: places(svg, "seat1"),
  texts: Array.from(svg.querySelectorAll("text"), one => one.textContent),
  label: svg.getAttribute("aria-label"), made: svg.querySelectorAll("path.made").length,
  best: svg.querySelectorAll("path.best").length, cubes: svg.querySelectorAll("rect.cube").length,
}));
})()
