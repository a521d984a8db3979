// Draws positions from their XGIDs and explains decisions. The data of the page are compressed
// columns of decisions. Browsers from before 2023 cannot unpack them and get a message.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  return new Response(
    new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")),
  ).text();
}
if (!self.DecompressionStream)
  document
    .querySelector("main")
    .prepend("This browser is too old to draw the boards of this page.");
const DATA = JSON.parse(await unpacked(document.getElementById("decisions").textContent));
const COUNT = DATA.xgid.length;
const COLUMNS = Object.keys(DATA).filter(name => name !== "names" && Array.isArray(DATA[name]));
function at(number) {
  const row = Object.fromEntries(COLUMNS.map(name => [name, DATA[name][number]]));
  row.dice = read(row.xgid).dice;
  row.plays = row.candidates
    .split(";")
    .filter(Boolean)
    .map((text, n) => {
      const end = text.lastIndexOf(" ");
      return [
        text.slice(0, end),
        parseFloat(text.slice(end)),
        chances(row.chances, n),
        text.split("@")[1],
      ];
    });
  // The page of a match has fixed seats; on any other the player who decides has the first.
  if (!DATA.names) return {...row, seat: 0};
  const seat = Number(row.side === "right");
  return {...row, seat, player: DATA.names[seat], opponent: DATA.names[1 - seat]};
}
// The chances of candidate n in thousandths: win, win a gammon, win a backgammon, lose a gammon,
// lose a backgammon.
function chances(text, n) {
  const values = text.split(";")[n];
  return values ? values.split(" ").map(Number) : null;
}
// The seat of the reader in a match; null if the reader did not play in it. A page that was sent
// has no choice of the reader.
const SEAT = DATA.names?.indexOf(me() ?? DATA.reader) ?? -1;
const READER = SEAT < 0 ? null : SEAT;
let below = READER ?? 0; // the seat at the bottom of the boards
const BAR = 176,
  RIGHT = 344,
  HEIGHT = 314,
  RIM = 14;

// The centre of chequer `number` of a point, as counted by the player at the bottom or at the top;
// 25 is the bar, 0 off.
function spot(point, number = 0, isAbove = false) {
  if (isAbove) {
    const [x, y] = spot(point, number);
    return [x, HEIGHT - y];
  }
  if (point === 25) return [BAR, HEIGHT / 2 + 34 + number * 4];
  if (point === 0) return [RIGHT + 30, HEIGHT - 40];
  const upper = point > 12,
    column = upper ? point - 13 : 12 - point;
  const away = RIM + 13 + Math.min(number, 4) * 24;
  return [17 + column * 26 + (column >= 6 ? 28 : 0), upper ? away : HEIGHT - away];
}
// The steps of a play such as 13/7*/5 6/4(2), as pairs of points with the number of the repetition.
function hops(words) {
  const pairs = [];
  for (const word of words.split(" ")) {
    const [path, times] = word.split("("),
      stops = path.split("/").map(stop => ({bar: 25, off: 0})[stop] ?? parseInt(stop));
    if (stops.some(isNaN)) continue;
    for (let n = 0; n < (parseInt(times) || 1); n++)
      for (let s = 1; s < stops.length; s++) pairs.push([stops[s - 1], stops[s], n]);
  }
  return pairs;
}
function arrows(words, kind, isAbove) {
  return hops(words)
    .map(([from, to, n]) => {
      const [x, y] = spot(from, n, isAbove),
        [u, v] = spot(to, n, isAbove),
        bend = (y < HEIGHT / 2 ? 1 : -1) * Math.min(60, Math.abs(u - x) / 2);
      const curve = `M${x} ${y}Q${(x + u) / 2} ${(y + v) / 2 + bend} ${u} ${v}`;
      return `<path class="${kind}" marker-end="url(#${kind})" d="${curve}"/>`;
    })
    .join("");
}
function frame(isAbove) {
  let text = `<rect class="frame" x="4" y="${RIM}" width="340" height="${HEIGHT - 2 * RIM}"/>`;
  for (let point = 1; point < 25; point++) {
    const [x] = spot(point),
      upper = point > 12,
      edge = upper ? RIM : HEIGHT - RIM;
    const tip = upper ? edge + 104 : edge - 104;
    const number = isAbove ? 25 - point : point;
    const kind = point % 2 ? "dark" : "pale";
    text += `<path class="${kind}" d="M${x - 13} ${edge}L${x} ${tip}L${x + 13} ${edge}z"/>`;
    text += `<text x="${x}" y="${upper ? RIM - 3 : HEIGHT - 2}">${number}</text>`;
  }
  const size = `width="28" height="${HEIGHT - 2 * RIM}"`;
  return `${text}<rect class="middle" x="${BAR - 14}" y="${RIM}" ${size}/>`;
}
const FRAMES = [frame(false), frame(true)]; // points are numbered for the player who decides
function read(xgid) {
  const [places, cube, owner, turn, dice, score, opponentScore, rule, length] = xgid
    .slice("XGID=".length)
    .split(":");
  const own = Array(26).fill(0),
    other = Array(26).fill(0);
  Array.from(places, (letter, point) => {
    const code = letter.charCodeAt(0);
    if (letter >= "a") other[25 - point] = code - 96;
    else if (letter >= "A") own[point] = code - 64;
  });
  const pips = side => side.reduce((sum, count, point) => sum + count * point, 0),
    off = side => 15 - side.reduce((a, b) => a + b);
  return {
    own,
    other,
    pips: [pips(own), pips(other)],
    off: [off(own), off(other)],
    cube: 2 ** cube,
    owner: +owner,
    doubled: turn === "-1",
    dice: /^[1-6]{2}$/.test(dice) ? dice : "",
    away: +length ? [length - score, length - opponentScore] : null,
    crawford: +length && rule === "1",
    score: [score, opponentScore],
    length: +length,
  };
}
function words(row, position) {
  const side = chequers =>
    chequers
      .map((count, point) => (count ? `${count} on ${point === 25 ? "the bar" : point}` : ""))
      .filter(Boolean)
      .reverse()
      .join(", ") || "none";
  const does = position.dice
    ? `rolled ${position.dice}`
    : position.doubled
      ? "answers a double"
      : "may double";
  const owner = ["", ", own", ", opponent's"].at(position.owner);
  const score = position.away ? `${position.away[0]} and ${position.away[1]} away` : "money";
  return (
    `${row.player} ${does}; has ${side(position.own)}; ` +
    `${row.opponent} has ${side(position.other)}; cube ${position.cube}${owner}; ${score}`
  );
}
// The board of a decision with arrows for pairs of a play and its kind; by default for the best
// play and the one made.
function board(
  row,
  plays = row.kind === "play" && row.loss > 0 && row.shown !== false
    ? [
        [row.plays[0][0], "best"],
        [row.played, "made"],
      ]
    : [],
) {
  const position = read(row.xgid),
    x = RIGHT + 30,
    middle = HEIGHT / 2,
    isAbove = row.seat !== below,
    down = isAbove ? -1 : 1;
  let text = FRAMES[+isAbove];
  for (const [n, chequers] of [position.own, position.other].entries())
    chequers.forEach((count, point) => {
      const seat = n ? 1 - row.seat : row.seat,
        isHigh = n ? !isAbove : isAbove;
      for (let n = 0; n < Math.min(count, point === 25 ? 1 : 5); n++) {
        const [cx, cy] = spot(point, n, isHigh);
        text += `<circle class="seat${seat}" cx="${cx}" cy="${cy}" r="12"/>`;
        if (n === (point === 25 ? 0 : 4) && count > n + 1)
          text += `<text class="on${seat}" x="${cx}" y="${cy + 4}">${count}</text>`;
      }
    });
  // Name, score and pips of both players; names are set as text below.
  const lines = [
    [HEIGHT + 15, HEIGHT - 24, +isAbove],
    [-7, 34, +!isAbove],
  ].map(([y, off, n]) => {
    const seat = n ? 1 - row.seat : row.seat;
    const score = position.away
      ? `${position.score[n]} of ${position.length}, ${position.away[n]} away`
      : "money";
    const right = `class="name" y="${y}" text-anchor="end"`;
    text += `<circle class="seat${seat}" cx="12" cy="${y - 4}" r="6"/>`;
    text += `<text class="name" x="24" y="${y}"></text><text ${right} x="262">${score}</text>`;
    text += `<text ${right} x="${RIGHT}">${position.pips[n]} pips</text>`;
    if (position.off[n]) text += `<text x="${x}" y="${off}">${position.off[n]} off</text>`;
    return n ? row.opponent : row.player;
  });
  const shift = down * (position.doubled ? 26 : 52 * Math.sign(position.owner)),
    value = position.doubled ? 2 * position.cube : position.cube;
  const cube =
    `<rect class="cube" x="${x - 13}" y="${middle + shift - 13}" width="26" height="26" rx="3"/>` +
    `<text class="value" x="${x}" y="${middle + shift + 5}">${value === 1 ? 64 : value}</text>`;
  text += position.crawford ? `<text x="${x}" y="${middle + 4}">Crawford</text>` : cube;
  Array.from(position.dice, (die, n) => {
    const left = 250 + (n - 0.5) * 32;
    const size = 'width="22" height="22" rx="4"';
    text += `<rect class="die seat${row.seat}" x="${left}" y="${middle - 11}" ${size}/>`;
    text += `<text class="value on${row.seat}" x="${left + 11}" y="${middle + 5}">${die}</text>`;
  });
  for (const [words, kind] of plays) text += arrows(words, kind, isAbove);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 -20 408 ${HEIGHT + 40}`);
  svg.setAttribute("class", "board");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", words(row, position));
  svg.innerHTML = text; // it contains numbers only, no names of players
  svg
    .querySelectorAll("text.name:empty")
    .forEach(
      (node, n) =>
        (node.textContent = lines[n].length > 18 ? lines[n].slice(0, 17) + "…" : lines[n]),
    );
  return svg;
}

function element(name, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}
const signed = (value, digits = 3) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);
// The loss or luck of a decision, as a share of the match or in points.
const isMatch = row => row.xgid.split(":")[8] !== "0";
const amount = (row, value) =>
  isMatch(row) ? `${(100 * value).toFixed(1)}\u00a0%` : `${value.toFixed(2)} points`;
const share = (row, value) => amount(row, value) + (isMatch(row) ? " of the match" : "");

function question(row) {
  const position = read(row.xgid),
    score = position.length
      ? `${position.score[0]}–${position.score[1]} to ${position.length}`
      : "money";
  const does =
    row.kind === "play"
      ? `has ${position.dice} to play`
      : position.doubled
        ? "is doubled: take or pass?"
        : "is on roll: double or not?";
  const text = element("p");
  text.append(
    element("b", row.player),
    ` ${does}`,
    element("small", ` (${row.theme}, ${score} against ${row.opponent})`),
  );
  return text;
}
// A table of choices. A cell is a text, or a text and a small one below it. `choose` gets the row
// under the pointer.
function table(heads, rows, choose) {
  const node = element("table", undefined, "plays"),
    body = node.createTBody(),
    head = node.createTHead().insertRow();
  heads.forEach((text, n) => {
    const cell = element("th", text, n ? "n" : "");
    cell.scope = "col";
    head.append(cell);
  });
  for (const [number, {cells, mark}] of rows.entries()) {
    const line = body.insertRow();
    if (mark) line.className = "made";
    cells.forEach((text, n) => {
      const [main, small] = [text].flat(),
        cell = element("td", choose && !n ? undefined : main, n ? "n" : "");
      if (choose && !n) {
        const button = element("button", main);
        button.type = "button";
        cell.append(button);
      }
      if (small) cell.append(element("small", small));
      line.append(cell);
    });
    if (choose)
      for (const kind of ["pointerenter", "focusin", "click"])
        line.addEventListener(kind, () => choose(number));
  }
  if (choose)
    for (const kind of ["pointerleave", "focusout"])
      node.addEventListener(kind, () => choose(null));
  return node;
}
const per = thousandths => (thousandths / 10).toFixed(1);
const outcomes = values =>
  values
    ? [
        [per(values[0]), `${per(values[1])} · ${per(values[2])}`],
        [per(1000 - values[0]), `${per(values[3])} · ${per(values[4])}`],
      ]
    : ["", ""];
const mark = row => (row.by ? ` (${row.by})` : "");
function verdict(row, words) {
  const node = element("p", words, row.loss >= DATA.costly ? "verdict bad" : "verdict");
  if (row.by) node.append(element("small", mark(row)));
  if (row.others) node.append(" ", element("small", row.others));
  return node;
}
// The explanation of a decision. `draw` shows plays as arrows; without plays it restores those of
// the board.
function answer(row, draw = () => {}) {
  const node = element("div");
  if (row.kind === "play") {
    const best = row.plays[0],
      top = best ? best[1] : 0,
      plays = row.plays.toSorted((a, b) => b[1] - a[1]),
      depth = /^\d-ply/.exec(row.by)?.[0] ?? "";
    const lines = plays.map(([play, equity, values, plies]) => ({
      cells: [
        play === best[0] ? `${play} ✓` : play,
        signed(equity),
        play === best[0] ? "" : play === row.played ? signed(-row.loss) : signed(equity - top),
        plies ? `${plies}-ply` : depth,
        ...outcomes(values),
      ],
      mark: play === row.played,
    }));
    const cost =
      row.loss > 0
        ? `Played ${row.played}: costs ${row.loss.toFixed(3)}, ${share(row, row.lossMwc)}.`
        : row.played === "no play"
          ? "No move."
          : plays.length
            ? `Played ${row.played}: the best play.`
            : `Played ${row.played}: forced.`;
    node.append(verdict(row, cost));
    const choose = number =>
      number === null
        ? draw()
        : draw([[plays[number][0], plays[number] === best ? "best" : "made"]]);
    if (lines.length)
      node.append(
        table(["Play", "Equity", "Difference", "Depth", "Wins %", "Loses %"], lines, choose),
        element(
          "p",
          "✓: best at the full depth. Small: gammons and backgammons. " +
            "Point at a play to see its arrows.",
          "note",
        ),
      );
  } else {
    node.append(
      verdict(
        row,
        row.verdict +
          (row.loss > 0 ? ` Costs ${row.loss.toFixed(3)}, ${share(row, row.lossMwc)}.` : ""),
      ),
    );
    if (row.noDouble !== null) {
      const best = Math.max(row.noDouble, Math.min(row.doubleTake, 1)),
        values = chances(row.chances, 0);
      const lines = [
        ["No double", row.noDouble],
        ["Double, take", row.doubleTake],
        ["Double, pass", 1],
      ].map(([words, equity]) => ({
        cells: [words, signed(equity), equity === best ? "" : signed(equity - best)],
      }));
      node.append(
        table(["Action", "Equity", "Difference"], lines),
        element("p", "Equities and chances of the player who may double or has doubled.", "note"),
      );
      if (values)
        node.append(
          element(
            "p",
            `Wins ${per(values[0])}\u00a0% (gammons ${per(values[1])}, ` +
              `backgammons ${per(values[2])}), loses ${per(1000 - values[0])}\u00a0% ` +
              `(${per(values[3])}, ${per(values[4])}).`,
          ),
        );
    }
  }
  const copies = element("p", undefined, "copy");
  const button = element("button", "Copy XGID");
  button.type = "button";
  button.title = row.xgid;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(row.xgid);
      button.textContent = "XGID copied";
    } catch {
      // where the browser forbids it, the text can be selected
      button.replaceWith(element("code", row.xgid));
    }
  });
  copies.append(button);
  node.append(copies);
  return node;
}
function luck(row) {
  return row.luck === null || row.kind !== "play"
    ? ""
    : `Luck of the roll: ${row.luck < 0 ? "−" : "+"}${amount(row, Math.abs(row.luck))}.`;
}

// A link to a decision in its match; a text where there is no page.
function linked(row, words) {
  const link = element(row.page ? "a" : "span", words);
  if (row.page) {
    link.href = (DATA.root ?? "") + row.page;
    if (MINE !== null) link.search = location.search;
  }
  return link;
}
// A board with what was played, the best choice, the cost, and a link to the match.
function brief(row, words) {
  const item = element("li"),
    isPlay = row.kind === "play";
  const text = isPlay ? `Played ${row.played}; best ${row.plays[0][0]}.` : row.verdict;
  item.append(
    board(row),
    element("p", text),
    element("p", `Costs ${row.loss.toFixed(3)}, ${share(row, row.lossMwc)}.`, "verdict bad"),
  );
  item.append(linked(row, words));
  return item;
}
// A list of decisions with their boards; in a quiz the answer is folded, and the board shows no
// arrows.
function fill(list, numbers) {
  const isQuiz = list.dataset.quiz !== undefined;
  for (const number of numbers) {
    if (list.dataset.brief !== undefined) {
      const row = at(number);
      const who = list.dataset.brief ? `${row.player} against` : "Against";
      list.append(brief(row, `${who} ${row.opponent}`));
      continue;
    }
    const row = {...at(number), shown: !isQuiz},
      item = element("li"),
      solution = answer(row, plays => item.firstChild.replaceWith(board(row, plays)));
    item.dataset.row = number;
    item.append(board(row), question(row));
    if (row.page) solution.lastChild.append(linked(row, "The match"));
    else if (list.dataset.play !== undefined) {
      const button = element("button", `Game ${row.game}: show in the match`);
      button.type = "button";
      button.dataset.ply = number;
      solution.lastChild.append(button);
    }
    if (isQuiz) {
      const fold = element("details");
      fold.append(element("summary", "Answer"), solution);
      fold.addEventListener("toggle", () => {
        row.shown = fold.open;
        item.firstChild.replaceWith(board(row));
      });
      item.append(fold);
    } else item.append(solution);
    list.append(item);
  }
}
const FIRST = 25; // boards that are drawn at first: a thousand take ten seconds
for (const list of document.querySelectorAll("ol.boards[data-rows]")) {
  const numbers = list.dataset.rows.split(" ").filter(Boolean);
  fill(list, numbers.slice(0, FIRST));
  if (numbers.length <= FIRST) continue;
  const button = element("button", `Show all ${numbers.length} boards`, "more");
  button.type = "button";
  button.addEventListener("click", () => {
    button.remove();
    fill(list, numbers.slice(FIRST));
  });
  list.after(button);
}
for (const kind of ["made", "best"]) {
  // heads of arrows, shared by all boards
  const heads = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  heads.setAttribute("class", "sr board");
  heads.setAttribute("aria-hidden", "true");
  heads.innerHTML =
    `<marker id="${kind}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="4" markerHeight="4" ` +
    'orient="auto"><path d="M0 0L8 4L0 8" fill="none" stroke="context-stroke" ' +
    'stroke-width="2"/></marker>';
  document.body.append(heads);
}
