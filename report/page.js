"use strict";
// Sort a table by the column whose head is pressed; hide the rows that do not hold the text in the filter.
function order(cell) {
  const text = cell.dataset.order ?? cell.textContent.trim();
  if (text === "–" || text === "") return "";
  const figure = cell.classList.contains("n") || cell.dataset.order !== undefined ? parseFloat(text.replace(/,/g, "").replace(/^[^\d.-]+/, "")) : NaN;
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
    const wanted = box.value.toLowerCase(), more = table.parentElement.nextElementSibling;
    if (wanted && table.classList.contains("folded")) more.click();
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    count.textContent = `${shown} shown`;
  });
}
// Two players: who is better, how sure that is, and the chance in a match with its interval.
const duel = document.getElementById("duel");
if (duel) {
  const players = JSON.parse(duel.dataset.players), chosen = duel.querySelectorAll("select"), told = duel.querySelector("[role=status]");
  // The normal distribution (Abramowitz and Stegun 7.1.26).
  const below = z => {
    const t = 1 / (1 + .3275911 * Math.abs(z) / Math.SQRT2), y = 1 - t * (.254829592 + t * (-.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-z * z / 2);
    return z < 0 ? (1 - y) / 2 : (1 + y) / 2;
  };
  const compare = () => {
    const [one, two] = Array.from(chosen, select => players[select.value]).sort((a, b) => b[1] - a[1]), gap = one[1] - two[1];
    const sure = more => below(gap / Math.hypot(...[one, two].map(([, , spread, count]) => spread * Math.sqrt(count / (count + more)))));
    let more = 0;
    while (more < 1000 && sure(more) < .95) more += more < 20 ? 1 : 10;
    // What so few matches of one of them say of the scatter tells nothing of how many would do.
    const settled = !more ? " That is settled." : Math.min(one[3], two[3]) < 5 ? "" : more < 1000 ? ` About ${more} more matches of each would settle it.` : " 1,000 more matches of each would not settle it.";
    const chance = points => 100 / (1 + 10 ** (-points * Math.sqrt(7) / 2000)), half = 1.645 * Math.hypot(one[2], two[2]);
    told.textContent = one === two ? "Choose two different players." : `${one[0]} is better than ${two[0]} with a chance of ${(100 * sure(0)).toFixed(0)} %.${settled} In a match to 7 points ${one[0]} wins with ${chance(gap).toFixed(0)} % (90 % sure between ${chance(gap - half).toFixed(0)} and ${chance(gap + half).toFixed(0)} %).`;
  };
  chosen.forEach(select => select.addEventListener("change", compare));
  compare();
}
