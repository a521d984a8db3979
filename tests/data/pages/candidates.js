(() => {
const item = document.querySelector("ol.boards li"), rows = item.querySelectorAll("table.plays tbody tr");
const seen = () => ["best", "made"].map(kind => item.querySelectorAll(`svg.board path.${kind}`).length);
const found = {heads: Array.from(item.querySelectorAll("th"), one => one.textContent)};
found.cells = Array.from(rows, line => Array.from(line.cells, one => Array.from(one.childNodes, n => n.textContent)));
found.before = seen();
rows[1].dispatchEvent(new PointerEvent("pointerenter")); found.over = seen();
rows[1].parentElement.parentElement.dispatchEvent(new PointerEvent("pointerleave")); found.after = seen();
rows[0].querySelector("button")?.click(); found.pressed = seen();
found.text = item.textContent.replaceAll("\u00a0", " ");
return found;
})()
