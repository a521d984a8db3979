"use strict";
// Sorts a table by a column when its head is pressed; hides the rows without the text in the
// filter.
function order(cell) {
  const text = cell.dataset.order ?? cell.textContent.trim();
  if (text === "–" || text === "") return "";
  const figure =
    cell.classList.contains("n") || cell.dataset.order !== undefined
      ? parseFloat(text.replace(/,/g, "").replace(/^[^\d.-]+/, ""))
      : NaN;
  return isNaN(figure) ? text.toLowerCase() : figure;
}
function compare(a, b, sign) {
  if (a === "" || b === "") return (a === "") - (b === "");
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return sign * (a < b ? -1 : a > b ? 1 : 0);
}
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  for (const head of table.tHead.rows[0].cells) {
    if (!head.textContent) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "descending" ? 1 : -1;
      for (const other of table.querySelectorAll("thead th")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
      const rows = Array.from(body.rows, row => [order(row.cells[head.cellIndex]), row]);
      rows.sort((a, b) => compare(a[0], b[0], sign));
      body.append(...rows.map(row => row[1]));
    });
  }
}
// A long table shows its first rows, and all of them on request.
for (const table of document.querySelectorAll("table.folded")) {
  const rows = table.tBodies[0].rows.length;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  const fold = isFolded => {
    table.classList.toggle("folded", isFolded);
    button.textContent = isFolded ? `Show all ${rows} rows` : "Show the first 20 rows";
    button.setAttribute("aria-expanded", String(!isFolded));
  };
  button.addEventListener("click", () => fold(!table.classList.contains("folded")));
  fold(true);
  table.parentElement.after(button);
}
for (const box of document.querySelectorAll("input[data-table]")) {
  const table = document.getElementById(box.dataset.table);
  const count = document.getElementById(box.dataset.count);
  box.addEventListener("input", () => {
    const text = box.value.toLowerCase(),
      more = table.parentElement.nextElementSibling;
    if (text && table.classList.contains("folded")) more.click();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(text);
      shown += !row.hidden;
    }
    count.textContent = `${shown} rows`;
  });
}
