"use strict";
// Draw positions from their XGIDs and say what was decided. The page's data: columns of decisions.
const DATA = JSON.parse(document.getElementById("decisions").textContent);
for (const [name, {of, at}] of Object.entries(DATA.coded)) DATA[name] = Array.from(at, letter => of[letter.charCodeAt(0) - 48]);
const COUNT = DATA.place.length;
const COLUMNS = Object.keys(DATA).filter(name => name !== "names" && Array.isArray(DATA[name]));
function at(number) {
  const row = Object.fromEntries(COLUMNS.map(name => [name, DATA[name][number]]));
  row.plays = row.candidates.split(";").filter(Boolean).map(text => [text.slice(0, text.lastIndexOf(" ")), parseFloat(text.slice(text.lastIndexOf(" ")))]);
  if (typeof row.played === "number") row.played = row.plays[row.played][0];
  row.others = DATA.others[number] || "";
  row.xgid = row.place.slice(0, 26) + ":" + row.state.replace("::", `:${row.place.slice(26)}:`);
  return DATA.names ? {...row, player: DATA.names[row.side], opponent: DATA.names[1 - row.side]} : row;
}
const BAR = 176, RIGHT = 344, HEIGHT = 314, RIM = 14;

// Where a point's pile begins and which way it grows, as the player who decides counts; 25 is his bar, 0 off.
function spot(point, number = 0) {
  if (point === 25) return [BAR, HEIGHT / 2 + 34 + number * 4];
  if (point === 0) return [RIGHT + 28, HEIGHT - 70];
  const upper = point > 12, column = upper ? point - 13 : 12 - point;
  const away = RIM + 13 + Math.min(number, 4) * 24;
  return [17 + column * 26 + (column >= 6 ? 28 : 0), upper ? away : HEIGHT - away];
}
// The steps of a play in words, such as 13/7*/5 6/4(2): pairs of points.
function hops(words) {
  const pairs = [];
  for (const word of words.split(" ")) {
    const [path, times] = word.split("("), stops = path.split("/").map(stop => ({bar: 25, off: 0})[stop] ?? parseInt(stop));
    if (stops.some(isNaN)) continue;
    for (let n = 0; n < (parseInt(times) || 1); n++) for (let s = 1; s < stops.length; s++) pairs.push([stops[s - 1], stops[s], n]);
  }
  return pairs;
}
function arrows(words, kind) {
  return hops(words).map(([from, to, n]) => {
    const [x, y] = spot(from, n), [u, v] = spot(to, n), bend = (y < HEIGHT / 2 ? 1 : -1) * Math.min(60, Math.abs(u - x) / 2);
    return `<path class="${kind}" marker-end="url(#${kind})" d="M${x} ${y}Q${(x + u) / 2} ${(y + v) / 2 + bend} ${u} ${v}"/>`;
  }).join("");
}
function frame() {
  let text = `<rect class="frame" x="4" y="${RIM}" width="340" height="${HEIGHT - 2 * RIM}"/>`;
  for (let point = 1; point < 25; point++) {
    const [x] = spot(point), upper = point > 12, edge = upper ? RIM : HEIGHT - RIM;
    text += `<path class="${point % 2 ? "dark" : "pale"}" d="M${x - 13} ${edge}L${x} ${upper ? edge + 104 : edge - 104}L${x + 13} ${edge}z"/>`;
    text += `<text x="${x}" y="${upper ? RIM - 4 : HEIGHT - 3}">${point}</text>`;
  }
  return `${text}<rect class="middle" x="${BAR - 14}" y="${RIM}" width="28" height="${HEIGHT - 2 * RIM}"/>`;
}
const FRAME = frame();
function read(xgid) {
  const [places, cube, owner, turn, dice, score, other, rule, length] = xgid.split(":");
  const own = Array(26).fill(0), his = Array(26).fill(0);
  Array.from(places, (letter, point) => {
    const code = letter.charCodeAt(0);
    if (letter >= "a") his[25 - point] = code - 96; else if (letter >= "A") own[point] = code - 64;
  });
  const pips = side => side.reduce((sum, count, point) => sum + count * point, 0), off = side => 15 - side.reduce((a, b) => a + b);
  return {own, his, pips: [pips(own), pips(his)], off: [off(own), off(his)], cube: 2 ** cube, owner: +owner, doubled: turn === "-1",
    dice: /^[1-6]{2}$/.test(dice) ? dice : "", away: +length ? [length - score, length - other] : null, crawford: +length && rule === "1", score: [score, other], length: +length};
}
function words(position) {
  const side = chequers => chequers.map((count, point) => count ? `${count} on ${point === 25 ? "the bar" : point}` : "").filter(Boolean).reverse().join(", ") || "none";
  const does = position.dice ? `rolled ${position.dice}` : position.doubled ? "answers a double" : "may double";
  return `Player ${does}; has ${side(position.own)}; opponent has ${side(position.his)}; cube ${position.cube}${position.owner ? position.owner > 0 ? ", own" : ", opponent's" : ""}; ` + (position.away ? `${position.away[0]} and ${position.away[1]} away` : "money");
}
function board(row) {
  const position = read(row.xgid), x = RIGHT + 30, middle = HEIGHT / 2;
  let text = FRAME;
  for (const [kind, side] of [["own", position.own], ["other", position.his]]) side.forEach((count, point) => {
    for (let n = 0; n < Math.min(count, point === 25 ? 1 : 5); n++) {
      let [cx, cy] = spot(kind === "own" || point === 25 ? point : 25 - point, n);
      if (kind === "other" && point === 25) cy = HEIGHT - cy;
      text += `<circle class="${kind}" cx="${cx}" cy="${cy}" r="12"/>`;
      if (n === (point === 25 ? 0 : 4) && count > n + 1) text += `<text class="on-${kind}" x="${cx}" y="${cy + 4}">${count}</text>`;
    }
  });
  [[HEIGHT - 48, 0], [RIM + 12, 1]].forEach(([y, n]) => {
    const lines = [`${position.off[n]} off`, `${position.pips[n]} pips`, position.away ? `${position.away[n]} away` : "money"];
    lines.forEach((line, number) => text += `<text x="${x}" y="${y + 14 * number}">${line}</text>`);
  });
  const shift = position.doubled ? -14 : -52 * -Math.sign(position.owner), value = position.doubled ? 2 * position.cube : position.cube;
  text += position.crawford ? `<text x="${x}" y="${middle + 4}">Crawford</text>`
    : `<rect class="cube" x="${x - 13}" y="${middle + shift - 13}" width="26" height="26" rx="3"/><text class="value" x="${x}" y="${middle + shift + 5}">${value === 1 ? 64 : value}</text>`;
  Array.from(position.dice, (die, n) => {
    const left = 250 + (n - .5) * 32;
    text += `<rect class="die" x="${left}" y="${middle - 11}" width="22" height="22" rx="4"/><text class="value" x="${left + 11}" y="${middle + 5}">${die}</text>`;
  });
  if (row.kind === "play" && row.loss > 0 && row.shown !== false) text += arrows(row.plays[0][0], "best") + arrows(row.played, "made");
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 408 ${HEIGHT}`);
  svg.setAttribute("class", "board");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", words(position));
  svg.innerHTML = text;  // numbers only: names of players are never part of it
  return svg;
}

function element(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}
const signed = (value, digits = 3) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
// What a decision won or lost, in ten thousandths of the match or of a point.
const isMatch = row => row.state.split(":")[7] !== "0";
const amount = (row, value) => isMatch(row) ? `${(value / 100).toFixed(1)}\u00a0%` : `${(value / 10000).toFixed(2)} points`;
const share = (row, value) => amount(row, value) + (isMatch(row) ? " of the match" : "");

function question(row) {
  const position = read(row.xgid), score = position.length ? `${position.score[0]}–${position.score[1]} to ${position.length}` : "money";
  const does = row.kind === "play" ? `has ${position.dice} to play` : position.doubled ? "is doubled: take or pass?" : "is on roll: double or not?";
  const text = element("p");
  text.append(element("b", row.player), ` ${does}`, element("small", ` (${row.theme}, ${score} against ${row.opponent})`));
  return text;
}
function table(rows) {
  const node = element("table", undefined, "plays"), body = node.createTBody();
  for (const [first, second, third, mark] of rows) {
    const line = body.insertRow();
    if (mark) line.className = "made";
    [first, second, third].forEach((text, n) => line.append(element("td", text, n ? "n" : "")));
  }
  return node;
}
const mark = row => row.by ? ` (${row.by})` : "";
function verdict(row, words) {
  const node = element("p", words, row.loss > 0 ? "verdict bad" : "verdict");
  if (row.by) node.append(element("small", mark(row)));
  if (row.others) node.append(" ", element("small", row.others));
  return node;
}
function answer(row) {
  const node = element("div");
  if (row.kind === "play") {
    const plays = row.plays, top = plays.length ? plays[0][1] : 0;
    const lines = plays.map(([play, equity], n) => [`${n + 1}. ${play}`, signed(equity), n ? signed(equity - top) : "", play === row.played]);
    if (plays.length && !lines.some(line => line[3])) lines.push([row.played, signed(top - row.loss), signed(-row.loss), true]);
    const cost = row.loss > 0 ? `Played ${row.played}: costs ${row.loss.toFixed(3)}, ${share(row, row.lossMwc)}.` : row.played === "no play" ? "No move." : plays.length ? `Played ${row.played}: the best play.` : `Played ${row.played}: forced.`;
    node.append(verdict(row, cost));
    if (lines.length) node.append(table(lines));
  } else {
    node.append(verdict(row, row.verdict + (row.loss > 0 ? ` Costs ${row.loss.toFixed(3)}, ${share(row, row.lossMwc)}.` : "")));
    if (row.nd !== null) node.append(table([["No double", signed(row.nd), ""], ["Double, take", signed(row.dt), ""], ["Double, pass", "+1.000", ""]]), element("p", "Equities of the player who may double or has doubled.", "note"));
  }
  const copies = element("p", undefined, "copy");
  for (const [name, text] of [["XGID", `XGID=${row.xgid}`], ["gnubg ID", row.gnubg]]) {
    if (!text) continue;
    const button = element("button", `Copy ${name}`);
    button.type = "button";
    button.title = text;
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(text); button.textContent = `${name} copied`; }
      catch { button.replaceWith(element("code", text)); }  // a browser that forbids it: the text is there to be marked
    });
    copies.append(button);
  }
  node.append(copies);
  return node;
}
function luck(row) {
  return row.luck === null || row.kind !== "play" ? "" : `Luck of the roll: ${row.luck < 0 ? "−" : "+"}${amount(row, Math.abs(row.luck))}.`;
}

// A list of decisions with their boards; in a quiz the answer is folded, and the board shows no arrows.
function fill(list, numbers) {
  const isQuiz = list.dataset.quiz !== undefined;
  for (const number of numbers) {
    const row = {...at(number), shown: !isQuiz}, item = element("li"), solution = answer(row);
    item.append(board(row), question(row));
    if (row.page) {
      const link = element("a", "The match");
      link.href = row.page;
      solution.lastChild.append(link);
    } else if (list.dataset.play !== undefined) {
      const button = element("button", `Game ${row.game}: show in the match`);
      button.type = "button";
      button.dataset.ply = number;
      solution.lastChild.append(button);
    }
    if (isQuiz) {
      const fold = element("details");
      fold.append(element("summary", "Answer"), solution);
      fold.addEventListener("toggle", () => item.firstChild.replaceWith(board({...row, shown: fold.open})));
      item.append(fold);
    } else item.append(solution);
    list.append(item);
  }
}
const FIRST = 25;  // boards that are drawn at once: a thousand take ten seconds
for (const list of document.querySelectorAll("ol.boards[data-rows]")) {
  const numbers = list.dataset.rows.split(" ").filter(Boolean);
  fill(list, numbers.slice(0, FIRST));
  if (numbers.length <= FIRST) continue;
  const button = element("button", `Show all ${numbers.length} boards`, "more");
  button.type = "button";
  button.addEventListener("click", () => { button.remove(); fill(list, numbers.slice(FIRST)); });
  list.after(button);
}
for (const kind of ["made", "best"]) {  // heads of arrows, once for the page
  const heads = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  heads.setAttribute("class", "sr board");
  heads.setAttribute("aria-hidden", "true");
  heads.innerHTML = `<marker id="${kind}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="4" markerHeight="4" orient="auto"><path d="M0 0L8 4L0 8" fill="none" stroke="context-stroke" stroke-width="2"/></marker>`;
  document.body.append(heads);
}
