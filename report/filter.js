// Chooses matches of a player and adds everything up again: the page has the sums of each match.
// Definitions are those of rating/player.py, rating/population.py and people/practice.py; a test
// compares 500 random choices with them.
const CHOICE = JSON.parse(await unpacked(document.getElementById("filters").textContent));
const M = CHOICE.matches,
  FORMULA = CHOICE.formula,
  FIELD = CHOICE.field;
const total = (rows, values) => rows.reduce((sum, row) => sum + (values[row] ?? 0), 0);
const known = (rows, values) => rows.filter(row => values[row] !== null);
const dot = (a, b) => a.reduce((sum, value, n) => sum + value * b[n], 0);
const ratio = (a, b) => (b > 0 ? a / b : 0);
const SUMS = ["ratedChequer", "moves", "ratedCube", "count"];
const weight = ([, moves, , count]) => moves + count;
// What sums of errors at a match length are worth in each term of the formula.
function terms([chequer, moves, cube, count], length) {
  const rates = [ratio(chequer, moves), ratio(cube, count), ratio(chequer + cube, moves + count)];
  return FORMULA.estimate.map((_, term) =>
    dot(
      rates,
      FORMULA.lengths[length].map(each => each[term]),
    ),
  );
}
// The loss of a player in points, its standard error over matches (jackknife), and the error that
// all matches share.
function losses(rows) {
  const rated = rows.filter(row => M.usable[row]),
    parts = new Map();
  if (!rated.length) return null;
  for (const row of rated) {
    const sums = parts.get(M.length[row]) ?? [0, 0, 0, 0];
    parts.set(
      M.length[row],
      SUMS.map((name, n) => sums[n] + M[name][row]),
    );
  }
  const worth = new Map(
    Array.from(parts, ([length, sums]) => [
      length,
      [weight(sums), dot(terms(sums, length), FORMULA.estimate)],
    ]),
  );
  const weights = Array.from(worth.values()).reduce((sum, [part]) => sum + part, 0);
  const mean = FORMULA.estimate.map(
    (_, term) =>
      Array.from(parts).reduce(
        (sum, [length, sums]) => sum + weight(sums) * terms(sums, length)[term],
        0,
      ) / weights,
  );
  const weighted = Array.from(worth.values()).reduce((sum, [part, loss]) => sum + part * loss, 0);
  const without = rated.map(row => {
    const length = M.length[row],
      rest = SUMS.map((name, n) => parts.get(length)[n] - M[name][row]),
      [part, loss] = worth.get(length);
    const left = rest[1] > 0.5 ? weight(rest) : 0;
    return (
      (weighted - part * loss + left * dot(terms(rest, length), FORMULA.estimate)) /
      (weights - part + left)
    );
  });
  const loss = dot(mean, FORMULA.estimate),
    middle = without.reduce((sum, value) => sum + value, 0) / rated.length;
  const spread = without.reduce((sum, value) => sum + (value - middle) ** 2, 0),
    count = rated.length;
  const ofFormula = Math.sqrt(
    dot(
      mean,
      FORMULA.covariance.map(line => dot(line, mean)),
    ),
  );
  return {
    loss,
    count,
    ownSe: Math.sqrt(((count - 1) / count) * spread),
    knownSe: Math.hypot(ofFormula || 0, FORMULA.tau * loss || 0),
    moves:
      total(rated, M.moves) ** 2 /
      rated.reduce((sum, row) => sum + M.moves[row] * FORMULA.roots[M.length[row]], 0),
  };
}
// The normal distribution function: a series up to 4.5 standard deviations, a continued fraction
// beyond.
function normal(z) {
  if (z < 0) return 1 - normal(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 4.5) return 1 - density / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 5 / z)))));
  let term = z,
    sum = z;
  for (let n = 1; n < 100; n++) sum += term *= (z * z) / (2 * n + 1);
  return 0.5 + density * sum;
}
// The rating, shrunk towards the field, with its 90 % interval.
function rating(rows) {
  const found = losses(rows);
  if (!found || !FIELD)
    return (
      found && {rating: CHOICE.offset - found.loss, low: null, high: null, matches: found.count}
    );
  const root = Math.max(found.loss, 0) ** 0.25,
    own = found.ownSe / (4 * root ** 3),
    free = found.count > 1 && Number.isFinite(own) ? found.count - 1 : 0;
  const dof = FIELD.prior + free,
    raw = ((FIELD.prior * FIELD.scatter) / found.moves + (free ? free * own ** 2 : 0)) / dof,
    variance = (raw * dof) / (dof - 2);
  const parts = FIELD.shares.map((share, n) => {
    const between = (FIELD.widths[n] * FIELD.sd) ** 2,
      sum = between + variance,
      pull = between / sum;
    return {
      log: Math.log(share / Math.sqrt(sum)) - (root - FIELD.mean) ** 2 / sum / 2,
      mean: FIELD.mean + pull * (root - FIELD.mean),
      sd: Math.sqrt(pull * variance + ((1 - pull) * FIELD.meanSe) ** 2),
    };
  });
  const most = Math.max(...parts.map(({log}) => log)),
    sum = parts.reduce((all, {log}) => all + Math.exp(log - most), 0);
  for (const part of parts) part.weight = Math.exp(part.log - most) / sum;
  const at = chance => {
    let low = Math.min(...parts.map(({mean, sd}) => mean - 9 * sd)),
      high = Math.max(...parts.map(({mean, sd}) => mean + 9 * sd));
    for (let n = 0; n < 50; n++) {
      const middle = (low + high) / 2,
        below = parts.reduce(
          (all, {weight, mean, sd}) => all + weight * normal((middle - mean) / sd),
          0,
        );
      if (below < chance) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const loss = parts.reduce(
    (all, {weight, mean, sd}) => all + weight * (mean ** 4 + 6 * mean ** 2 * sd ** 2 + 3 * sd ** 4),
    0,
  );
  const shared = CHOICE.quantile * found.knownSe,
    ends = [(1 - CHOICE.confidence) / 2, (1 + CHOICE.confidence) / 2].map(at);
  const low = loss - Math.hypot(loss - Math.max(ends[0], 0) ** 4, shared),
    high = loss + Math.hypot(ends[1] ** 4 - loss, shared);
  return {
    rating: CHOICE.offset - loss,
    low: CHOICE.offset - high,
    high: CHOICE.offset - low,
    matches: found.count,
  };
}
// PR over the errors of a kind: all, chequer play, or the cube.
const KINDS = {
  all: [
    ["chequer", "cube"],
    ["moves", "close"],
  ],
  chequer: [["chequer"], ["moves"]],
  cube: [["cube"], ["close"]],
};
const sumOf = (rows, names) => names.reduce((sum, name) => sum + total(rows, M[name]), 0);
const pr = (rows, kind) => 500 * ratio(sumOf(rows, KINDS[kind][0]), sumOf(rows, KINDS[kind][1]));
const passes = choice => row =>
  (!choice.from || M.date[row] >= choice.from) &&
  (!choice.to || (M.date[row] && M.date[row].slice(0, choice.to.length) <= choice.to)) &&
  (!choice.opponent || M.opponent[row] === +choice.opponent) &&
  (!choice.length || M.length[row] === +choice.length) &&
  (!choice.event || M.event[row] === +choice.event) &&
  (!choice.result || M.won[row] === +(choice.result === "won"));
// Every figure of a choice of matches.
function chosen(choice) {
  const rows = M.length.map((_, row) => row).filter(passes(choice)),
    kind = choice.kind || "all",
    decisions = sumOf(rows, KINDS[kind][1]);
  const cells = CHOICE.cells.map(() => [0, 0]),
    opponents = new Map();
  for (const row of rows) {
    for (const [cell, isCube, loss, errors] of M.losses[row])
      if (kind === "all" || isCube === +(kind === "cube")) {
        cells[cell][0] += loss;
        cells[cell][1] += errors;
      }
    opponents.set(M.opponent[row], [...(opponents.get(M.opponent[row]) ?? []), row]);
  }
  const results = rows => ({
    matches: rows.length,
    won: total(rows, M.won),
    finished: known(rows, M.won).length,
    expected: total(known(rows, M.won), M.expected),
  });
  return {
    ...results(rows),
    rows,
    pr: decisions ? pr(rows, kind) : null,
    rating: rating(rows),
    luck: known(rows, M.luck).length ? total(rows, M.luck) : null,
    cells: cells.map(([loss, errors]) => [500 * ratio(loss, decisions), errors]),
    trend: trend(rows, kind),
    opponents: Array.from(opponents, ([name, own]) => ({
      name: CHOICE.names[name],
      pr: pr(own, kind),
      ...results(own),
    })).sort((a, b) => b.matches - a.matches),
  };
}
// PR over time: the end of each window of matches, its PR, and half its 90 % interval (jackknife
// over matches, Student's t).
function trend(rows, kind) {
  const dated = rows.filter(row => M.date[row] && sumOf([row], KINDS[kind][1]) > 0),
    size = dated.length < CHOICE.leastTrend ? 0 : Math.min(CHOICE.window, dated.length >> 1);
  if (!size) return [];
  const step = Math.ceil((dated.length - size + 1) / CHOICE.points),
    points = [];
  for (let end = dated.length; end >= size; end -= step) {
    const own = dated.slice(end - size, end),
      without = own.map(row =>
        pr(
          own.filter(other => other !== row),
          kind,
        ),
      );
    const mean = without.reduce((sum, value) => sum + value, 0) / size,
      spread = without.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    points.unshift([
      M.date[dated[end - 1]],
      pr(own, kind),
      CHOICE.t[size - 1] * Math.sqrt(((size - 1) / size) * spread),
    ]);
  }
  return points;
}
function chart(points) {
  const low = Math.max(0, Math.min(...points.map(([, value, half]) => value - half)));
  const high = Math.max(...points.map(([, value, half]) => value + half));
  const x = n => (1000 * n) / (points.length - 1);
  const y = value => (100 * (high - Math.max(low, value))) / (high - low || 1);
  const path = values => values.map((value, n) => `${x(n)} ${y(value)}`).join("L");
  const upper = points.map(([, value, half]) => value + half);
  const lower = points.map(([, value, half], n) => `${x(n)} ${y(value - half)}`).reverse();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 1000 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const ends = [points[0], points.at(-1)].map(([, value]) => value.toFixed(1));
  svg.setAttribute("aria-label", `PR from ${ends.join(" to ")}`);
  svg.innerHTML =
    `<path class="band" d="M${path(upper)}L${lower.join("L")}z"/>` +
    `<path class="curve" d="M${path(points.map(([, value]) => value))}"/>`;
  const label = (kind, style, text) => {
    const span = element("span", text, kind);
    span.style.cssText = style;
    return span;
  };
  const node = element("div", undefined, "chart");
  node.append(
    svg,
    label("y", "top:0", high.toFixed(1)),
    label("y", "top:100%", low.toFixed(1)),
    label("x", "left:3rem", points[0][0]),
    label("x", "right:0", points.at(-1)[0]),
  );
  return node;
}
const TREND = document.getElementById("trend");
function showTrend(points) {
  TREND.querySelectorAll(".chart, p").forEach(node => node.remove());
  TREND.hidden = points.length < 2;
  if (TREND.hidden) return;
  const size = `Each point has the matches up to its day, ${CHOICE.window} at most`;
  TREND.append(chart(points), element("p", `${size}; the band is 90 % sure.`, "note"));
}
const FILTER = document.getElementById("filter"),
  SHOWN = document.getElementById("chosen"),
  NAMES = ["from", "to", "opponent", "length", "event", "result", "kind"];
const field = name => FILTER.querySelector(`[name=${name}]`);
function show() {
  const choice = Object.fromEntries(NAMES.map(name => [name, field(name).value])),
    found = chosen(choice),
    of = ({won, finished}) => `${won} of ${finished}`;
  const figure = (value, digits) => (value === null ? "–" : value.toFixed(digits));
  const lines = [
    ["Matches", String(found.matches)],
    ["PR", figure(found.pr, 1)],
  ];
  if (found.rating) {
    const {rating, low, high} = found.rating;
    const interval = low === null ? "" : ` (${low.toFixed(0)} to ${high.toFixed(0)})`;
    lines.push([interval ? "Rating, 90 % sure" : "Rating", rating.toFixed(0) + interval]);
  }
  lines.push(
    ["Won", of(found)],
    ["Expected by both ratings", figure(found.expected, 1)],
    ["Matches won by luck", figure(found.luck, 1)],
  );
  const facts = element("dl", undefined, "facts");
  for (const [name, value] of lines) facts.append(element("dt", name), element("dd", value));
  SHOWN.replaceChildren(facts);
  showTrend(found.trend);
  const rows = found.cells
    .map(([value, errors], n) => ({value, errors, words: CHOICE.cells[n]}))
    .filter(({value}) => value > 0)
    .sort((a, b) => b.value - a.value);
  for (const family of new Set(rows.map(({words}) => words[0])))
    SHOWN.append(
      table(
        [family, "Errors", "Share of PR"],
        rows
          .filter(({words}) => words[0] === family)
          .map(({value, errors, words}) => ({
            cells: [words[1], String(errors), value.toFixed(2)],
          })),
      ),
    );
  SHOWN.append(
    table(
      ["Opponent", "Matches", "Won", "Expected", "PR"],
      found.opponents.slice(0, 20).map(one => ({
        cells: [one.name, String(one.matches), of(one), one.expected.toFixed(1), one.pr.toFixed(1)],
      })),
    ),
  );
  if (found.opponents.length > 20)
    SHOWN.append(element("p", `The first 20 of ${found.opponents.length} opponents.`, "note"));
  const kept = new URLSearchParams(Object.entries(choice).filter(([, value]) => value));
  history.replaceState(
    null,
    "",
    kept.size ? `#choose:${kept}` : location.pathname + location.search,
  );
}
for (const [name, values] of [
  ["opponent", CHOICE.names],
  ["event", CHOICE.events],
])
  values.forEach((text, n) => text && field(name).append(new Option(text, n)));
for (const length of new Set(M.length.toSorted((a, b) => a - b)))
  field("length").append(new Option(length || "money", length));
const asked = () =>
  location.hash.startsWith("#choose:") && new URLSearchParams(location.hash.slice(8));
function restore() {
  const choice = asked();
  if (!choice) return;
  for (const name of NAMES) field(name).value = choice.get(name) ?? "";
  FILTER.open = true;
  show();
}
FILTER.figures = chosen; // for tests and for whoever looks with the browser's own tools
FILTER.addEventListener("change", show);
FILTER.addEventListener("toggle", () => {
  if (FILTER.open && !SHOWN.children.length) show();
});
FILTER.querySelector("button").addEventListener("click", () => {
  for (const name of NAMES) field(name).value = "";
  show();
});
addEventListener("hashchange", restore);
showTrend(chosen({}).trend);
restore();
