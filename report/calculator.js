// The calculator of the page: what scripts/bgrating/rating/calculator.py computes, from the same
// formulas.
"use strict";

const Calculator = (() => {
  const sum = (multipliers, values) =>
    multipliers.reduce((total, m, i) => total + m * values[i], 0);

  const chance = (difference, length) => 1 / (1 + 10 ** ((difference * Math.sqrt(length)) / 2000));

  function lacking(known, formula, players) {
    for (const one of players) {
      if (formula.count === "pr" ? one.pr === null : one.epm === null || one.epc === null)
        return formula.count === "pr" ? "it needs a PR" : "it needs EPM and the cube error";
      if (formula.count !== "pr" && one.count !== formula.count)
        return `it needs the cube error ${known.counts[formula.count]}`;
    }
    return "";
  }

  // A match length outside the measured ones, in words: rating/terms.py.
  function beyond(measured, length) {
    const longer = measured.filter(one => one > 1),
      between = longer.length ? longer : measured;
    if (
      measured.includes(length) ||
      (Math.min(...between) <= length && length <= Math.max(...between))
    )
      return "";
    const points = measured.join(", ");
    return `the formula was measured at ${points} points; ${length} points are beyond that`;
  }

  // The rates that the terms multiply, from those that were given; a match to 1 point has no cube.
  function ratesOf(formula, player, length, perPr = "ratio") {
    const pr = player.pr || 0;
    if (formula.per_pr) {
      const {epm, epc} = length > 1 ? formula.per_pr[perPr] : {epm: 1 / 500, epc: 0};
      return {epm: epm * pr, epc: epc * pr};
    }
    const [constant, inverse] = formula.share || [1, 0];
    const epc = length > 1 ? ((player.epc || 0) / 1000) * (constant + inverse / length) : 0;
    return {epm: (player.epm || 0) / 1000, epc, pr};
  }

  // What each term's coefficient is multiplied by: rating/terms.py.
  function multipliers(formula, rates, length) {
    const of = {a2: rates.epm, b: rates.epc, pr: rates.pr};
    return formula.terms.map(term => {
      const [name, part] = term.split("_");
      // A name with a term "one" has that term alone at 1 point.
      if (formula.terms.includes(name + "_one") && (part === "one") !== (length === 1)) return 0;
      return of[name] / (part === "inv" ? length : 1);
    });
  }

  // The loss by error rates, or by the difference of two players' rates.
  function figure(formula, length, rates, ...players) {
    const points = rates => sum(multipliers(formula, rates, length), formula.estimate);
    const value = points(rates);
    if (!formula.covariance) return {value, low: NaN, high: NaN};
    const row = multipliers(formula, rates, length);
    let square =
      sum(
        row,
        formula.covariance.map(line => sum(row, line)),
      ) +
      (formula.people_error * value) ** 2;
    const perPr = length > 1 ? formula.per_pr : null;
    for (const one of players) {
      square += (formula.player_scatter * points(one)) ** 2;
      if (formula.share) square += (formula.share_error * points({epm: 0, epc: one.epc})) ** 2;
      if (perPr) square += (perPr.relative_error.epm * points(one)) ** 2;
    }
    if (perPr && players.length > 1) {
      const moved = (perPr.std_error.epm / perPr.slope.epm) * rates.epm;
      square += points({epm: moved, epc: -moved}) ** 2;
    }
    const half = formula.quantile * Math.sqrt(square);
    return {value, low: value - half, high: value + half};
  }

  function row(known, formula, player, length, opponent, offset) {
    const {name, nets} = formula;
    const lacks = lacking(known, formula, opponent ? [player, opponent] : [player]);
    if (lacks) return {name, nets, why: lacks, lacksRates: true};
    const own = ratesOf(formula, player, length);
    const other = opponent ? ratesOf(formula, opponent, length) : null;
    const loss = figure(formula, length, own, own);
    const found = {
      name,
      nets,
      rating: {value: offset - loss.value, low: offset - loss.high, high: offset - loss.low},
    };
    let points = loss.value;
    if (other) {
      const [more, less] = [player, opponent].map(one => ratesOf(formula, one, length, "slope"));
      const apart = {};
      for (const name of Object.keys(more)) apart[name] = more[name] - less[name];
      const worse = figure(formula, length, apart, own, other);
      points = Math.abs(worse.value);
      found.difference = worse;
      found.chance = {
        value: chance(worse.value, length),
        low: chance(worse.high, length),
        high: chance(worse.low, length),
      };
    }
    const cubes = 1000 * (own.epc + (other ? other.epc : 0));
    const warnings = formula.lengths ? [beyond(formula.lengths, length)] : [];
    if (formula.limit && points > formula.limit)
      warnings.push(
        `outside its domain: ${points.toFixed(0)} points, where it was measured up to ` +
          formula.limit,
      );
    else if (formula.cube_limit && cubes > formula.cube_limit)
      warnings.push(
        `outside its domain: cube errors of ${cubes.toFixed(1)} milli-EMG a move, ` +
          `where it was measured up to ${formula.cube_limit.toFixed(0)}`,
      );
    const warning = warnings.filter(one => one).join("; ");
    if (warning) found.warning = warning;
    return found;
  }

  // Players are {pr, epm, epc, count} with null for what is not given, rates in milli-EMG.
  function calculate(known, player, length, opponent, nets, offset = known.offset) {
    const mine = known.formulas.filter(formula => formula.nets === nets || formula.nets === "");
    return mine.map(formula => row(known, formula, player, length, opponent, offset));
  }

  // The figures, and why a formula of ours gives none: worth_showing in rating/calculator.py.
  function worthShowing(rows) {
    const haveOurs = rows.some(row => row.rating && row.nets);
    return rows.filter(row => row.rating || (row.nets && !(row.lacksRates && haveOurs)));
  }

  // Without errors there is no interval: the figure is exact by definition.
  const inBrackets = (one, show) =>
    show(one.value) + (one.low < one.high ? ` [${show(one.low)}, ${show(one.high)}]` : "");
  const points = one => inBrackets(one, value => value.toFixed(0));
  const percent = one => `${inBrackets(one, value => (100 * value).toFixed(1))} %`;

  // The number that a text means: read_number in command/numbers.py.
  function numberOf(text) {
    if (/^[+-]?[1-9]\d{0,2},\d{3}$/.test(text)) {
      const [thousands, decimal] = [text.replace(",", ""), Number(text.replace(",", "."))];
      throw new RangeError(
        `${text} can be ${thousands} or ${decimal}: write it without the comma.`,
      );
    }
    const isThousands = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text);
    const plain = isThousands ? text.replaceAll(",", "") : text.replace(",", ".");
    return /^[+-]?(\d+|\d*\.\d+)(e[+-]?\d{1,3})?$/i.test(plain) ? Number(plain) : NaN;
  }

  function read(known, form, prefix) {
    const number = name => {
      const text = form.elements[prefix + name].value.trim();
      if (text === "") return null;
      const value = numberOf(text);
      const [highest, unit] = known.highest[name];
      if (!(value >= 0 && value <= highest))
        throw new RangeError(
          `${name.toUpperCase()} is a number from 0 to ${highest}${unit}, not ${text}.`,
        );
      return value;
    };
    return {
      pr: number("pr"),
      epm: number("epm"),
      epc: number("epc"),
      count: form.elements.count.value,
    };
  }

  const given = player => player.pr !== null || (player.epm !== null && player.epc !== null);

  function show(known, form, body, message) {
    const length = Number(form.elements.namedItem("length").value);
    body.replaceChildren();
    message.textContent = "";
    let player, other;
    try {
      [player, other] = ["", "against-"].map(prefix => read(known, form, prefix));
    } catch (problem) {
      message.textContent = problem.message;
      return;
    }
    if (!given(player) || !Number.isInteger(length) || length < 1) {
      message.textContent = "Give a match length, and a PR or both error rates.";
      return;
    }
    const rows = calculate(
      known,
      player,
      length,
      given(other) ? other : null,
      form.elements.nets.value,
    );
    for (const one of worthShowing(rows)) {
      const line = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = one.name;
      line.append(head);
      const cells = one.rating
        ? [
            points(one.rating),
            one.difference ? points(one.difference) : "–",
            one.chance ? percent(one.chance) : "–",
          ]
        : ["–", "–", "–"];
      for (const text of [...cells, one.why || one.warning || ""])
        line.insertCell().textContent = text;
    }
  }

  function start(root) {
    const known = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const form = root.querySelector("form");
    const update = () =>
      show(known, form, root.querySelector("tbody"), root.querySelector("output"));
    form.addEventListener("input", update);
    form.addEventListener("submit", event => event.preventDefault());
    update();
  }

  return {calculate, numberOf, worthShowing, start};
})();

if (typeof document === "undefined") module.exports = Calculator;
else for (const root of document.querySelectorAll(".calculator")) Calculator.start(root);
