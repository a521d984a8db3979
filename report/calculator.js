// The calculator of the page: what scripts/bgrating/rating/calculator.py computes, from the same formulas.
"use strict";

const Calculator = (() => {
  const sum = (multipliers, values) => multipliers.reduce((total, m, i) => total + m * values[i], 0);

  const chance = (difference, length) => 1 / (1 + 10 ** ((difference * Math.sqrt(length)) / 2000));

  // What people's errors cost beside the formula's is not sure: rating/calculator.py.
  function widened(worse, scale) {
    const size = Math.abs(worse.value);
    const ends = [Math.max(0, 1 - scale.low) * size, Math.max(0, scale.high - 1) * size];
    const [down, up] = worse.value >= 0 ? ends : ends.reverse();
    return {
      value: worse.value,
      low: worse.value - Math.hypot(worse.value - worse.low, down),
      high: worse.value + Math.hypot(worse.high - worse.value, up),
    };
  }

  function lacking(known, formula, players) {
    for (const one of players) {
      if (formula.count === "pr" ? one.pr === null : one.epm === null || one.epc === null)
        return formula.count === "pr" ? "it needs a PR" : "it needs EPM and the cube error";
      if (formula.count !== "pr" && one.count !== formula.count) return `it needs the cube error ${known.counts[formula.count]}`;
    }
    return "";
  }

  function whyNot(formula, length, depth) {
    const [low, high] = formula.lengths || [1, Infinity];
    if (length < low || length > high)
      return `it was fitted to matches of ${low} to ${high} points and does not hold at ${length}`;
    if (formula.depths && !formula.depths.includes(depth))
      return `it was fitted to errors found at ${formula.depths.join(", ")}, not at ${depth}`;
    return "";
  }

  // How the rating moves with each term: rating/terms.py.
  function multipliers(formula, player, length) {
    const rates = { a2: (player.epm || 0) / 1000, b: (player.epc || 0) / 1000, pr: player.pr || 0 };
    const value = (term) => formula.estimate[formula.terms.indexOf(term)] || 0;
    const root = Math.sqrt(length / 7);
    return formula.terms.map((term) => {
      const [name, part] = term.split("_");
      // A name with a term "one" has that term alone at 1 point.
      if (formula.terms.includes(name + "_one") && (part === "one") !== (length === 1)) return 0;
      const over = part === "one" ? 1 : 1 + value(name + "_root") * root;
      if (part === "root")
        return (-rates[name] * (value(name + "_const") + value(name + "_inv") / length) * root) / over ** 2;
      return rates[name] / (part === "inv" ? length : 1) / over;
    });
  }

  // A term that divides others counts as 0.
  const linear = (formula, values) => values.map((value, i) => (formula.terms[i].endsWith("_root") ? 0 : value));

  // A player's loss, or by how much it exceeds the opponent's.
  function figure(formula, player, opponent) {
    const row = opponent ? player.map((m, i) => m - opponent[i]) : player;
    const estimate = linear(formula, formula.estimate);
    const value = sum(row, estimate);
    if (!formula.covariance && !formula.ends) return { value, low: NaN, high: NaN };
    let [half, below, above] = [0, 0, 0];
    if (formula.covariance) {
      const variance = sum(row, formula.covariance.map((line) => sum(row, line)));
      half = formula.quantile * Math.sqrt(Math.max(0, variance));
    }
    if (formula.ends)
      for (const part of opponent && formula.apart ? [player, opponent] : [row]) {
        const middle = sum(part, estimate);
        const [low, high] = formula.ends.map((end) => sum(part, linear(formula, end))).sort((a, b) => a - b);
        [below, above] = [Math.hypot(below, middle - low), Math.hypot(above, high - middle)];
      }
    return { value, low: value - Math.hypot(half, below), high: value + Math.hypot(half, above) };
  }

  function row(known, formula, player, length, opponent, depth, offset) {
    const { name, nets } = formula;
    const lacks = lacking(known, formula, opponent ? [player, opponent] : [player]);
    const why = whyNot(formula, length, depth) || lacks;
    if (why) return { name, nets, why, lacksRates: lacks !== "" };
    const own = multipliers(formula, player, length);
    const loss = figure(formula, own);
    const found = {
      name,
      nets,
      rating: { value: offset - loss.value, low: offset - loss.high, high: offset - loss.low },
    };
    let points = loss.value;
    const cubes = (player.epc || 0) + (opponent ? opponent.epc || 0 : 0);
    if (opponent) {
      const other = multipliers(formula, opponent, length);
      let worse = figure(formula, own, other);
      if (formula.nets) worse = widened(worse, known.scale);
      points = Math.abs(worse.value);
      found.difference = worse;
      found.chance = {
        value: chance(worse.value, length),
        low: chance(worse.high, length),
        high: chance(worse.low, length),
      };
    }
    if (formula.limit && points > formula.limit)
      found.warning = `outside its domain: ${points.toFixed(0)} points, where it was measured up to ${formula.limit}`;
    else if (formula.count === "move" && cubes > formula.cube_limit)
      found.warning =
        `outside its domain: cube errors of ${cubes.toFixed(1)} milli-EMG a move, ` +
        `where it was measured up to ${formula.cube_limit.toFixed(0)}`;
    return found;
  }

  // A formula that there is none of for the depth stays as it was measured, at 0-ply.
  function forDepth(known, depth) {
    const counts = known.filter((one) => one.depths && one.depths.includes(depth)).map((one) => one.count);
    return known.filter(
      ({ depths, count }) =>
        !depths || depths.includes(depth) || (depths.includes("0-ply") && !counts.includes(count)),
    );
  }

  // Players are {pr, epm, epc, count} with null for what is not given, rates in milli-EMG.
  function calculate(known, player, length, opponent, nets, depth = "0-ply", offset = known.offset) {
    const mine = known.formulas.filter((formula) => formula.nets === nets || formula.nets === "");
    return forDepth(mine, depth).map((formula) => row(known, formula, player, length, opponent, depth, offset));
  }

  // The figures, and why a formula of ours gives none: worth_showing in rating/calculator.py.
  function worthShowing(rows) {
    const haveOurs = rows.some((row) => row.rating && row.nets);
    return rows.filter((row) => row.rating || (row.nets && !(row.lacksRates && haveOurs)));
  }

  const inBrackets = (one, show) =>
    show(one.value) + (Number.isFinite(one.low) ? ` [${show(one.low)}, ${show(one.high)}]` : "");
  const points = (one) => inBrackets(one, (value) => value.toFixed(0));
  const percent = (one) => `${inBrackets(one, (value) => (100 * value).toFixed(1))} %`;

  function read(known, form, prefix) {
    const number = (name) => {
      const text = form.elements[prefix + name].value.trim().replace(",", ".");
      if (text === "") return null;
      const value = Number(text);
      const [highest, unit] = known.highest[name];
      if (!(value >= 0 && value <= highest))
        throw new RangeError(`${name.toUpperCase()} is a number from 0 to ${highest}${unit}, not ${text}.`);
      return value;
    };
    return { pr: number("pr"), epm: number("epm"), epc: number("epc"), count: form.elements.count.value };
  }

  const given = (player) => player.pr !== null || (player.epm !== null && player.epc !== null);

  function show(known, form, body, message) {
    const length = Number(form.elements.namedItem("length").value);
    body.replaceChildren();
    message.textContent = "";
    let player, other;
    try {
      [player, other] = ["", "against-"].map((prefix) => read(known, form, prefix));
    } catch (problem) {
      message.textContent = problem.message;
      return;
    }
    if (!given(player) || !Number.isInteger(length) || length < 1) {
      message.textContent = "Give a match length, and a PR or both error rates.";
      return;
    }
    const { nets, depth } = form.elements;
    const rows = calculate(known, player, length, given(other) ? other : null, nets.value, depth.value);
    for (const one of worthShowing(rows)) {
      const line = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = one.name;
      line.append(head);
      const cells = one.rating
        ? [points(one.rating), one.difference ? points(one.difference) : "–", one.chance ? percent(one.chance) : "–"]
        : ["–", "–", "–"];
      for (const text of [...cells, one.why || one.warning || ""]) line.insertCell().textContent = text;
    }
  }

  function start(root) {
    const known = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const form = root.querySelector("form");
    const update = () => show(known, form, root.querySelector("tbody"), root.querySelector("output"));
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    update();
  }

  return { calculate, worthShowing, start };
})();

if (typeof document === "undefined") module.exports = Calculator;
else for (const root of document.querySelectorAll(".calculator")) Calculator.start(root);
