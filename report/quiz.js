// A quiz of the costly decisions that board.js draws, in sets of 25. Wrong answers are asked again
// without a score. The browser stores the score and when each question is due. Number keys choose
// an answer.
const quiz = document.getElementById("ask"),
  KEY = "bgrating quiz";
// Days until a question is due again, by its number of right answers in a row.
const DAYS = [0, 1, 3, 7, 21];
const ROWS = quiz ? Array.from({length: COUNT}, (_, number) => at(number)) : [];
let offered = ROWS; // those of the theme, or those that find.js has found
const kept = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {};
  }
};
const themes = row => [row.plan, row.error, row.score];
const today = () => Math.floor(Date.now() / 864e5);
// The possible answers, in an order that does not reveal the best one, and the cost of each.
function choices(row) {
  if (row.kind === "play")
    return row.plays
      .map(([play, equity]) => [play, row.plays[0][1] - equity])
      .sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const taken = Math.min(row.doubleTake, 1),
    // Above 0 it is right not to double, or to take.
    right = row.kind === "double" ? row.noDouble - taken : 1 - row.doubleTake;
  return (row.kind === "double" ? ["No double", "Double"] : ["Take", "Pass"]).map((words, n) => [
    words,
    Math.max(0, n ? right : -right),
  ]);
}
// One line a question for Anki's own import of texts: front (board and question), back (answer),
// XGID, tag.
function ankiText() {
  const style =
    "<style>" +
    Array.from(document.styleSheets[0].cssRules)
      .map(rule => rule.cssText)
      .filter(text => text.startsWith(".board ") || text.startsWith(":root"))
      .join("") +
    "</style>";
  const field = nodes =>
    nodes
      .map(node => (typeof node === "string" ? node : node.outerHTML))
      .join("")
      .replace(/[\t\n\r]+/g, " ");
  const lines = offered.map(row => {
    const solution = answer(row);
    solution.querySelector(".copy").remove();
    return [
      field([style, board({...row, shown: false}), question(row)]),
      field([board(row), solution]),
      row.xgid,
      row.plan.replaceAll(" ", "-"),
    ]
      .map(text => (text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text))
      .join("\t");
  });
  return (
    [
      "#separator:tab",
      "#html:true",
      "#columns:Front\tBack\tXGID\tTags",
      "#tags column:4",
      ...lines,
    ].join("\n") + "\n"
  );
}
const xgidText = () => offered.map(row => `${row.xgid}\n`).join("");
// A table for spreadsheets, which take no cell for a formula.
function csvText() {
  const names = ["player", "opponent", "kind", "plan", "dice", "played", "best", "loss", "xgid"];
  const cell = value => {
    const text = String(value).replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = offered.map(row => {
    const best = row.kind === "play" ? row.plays[0][0] : row.verdict;
    return names.map(name => cell(name === "best" ? best : row[name])).join(",");
  });
  return [names.join(","), ...lines, ""].join("\n");
}
function save(name, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/plain"}));
  link.download = name;
  link.click();
}
if (quiz) {
  const stage = document.getElementById("stage"),
    panel = document.getElementById("answer"),
    theme = document.getElementById("theme"),
    scores = document.getElementById("scores");
  if (theme) for (const name of new Set(ROWS.flatMap(themes))) theme.append(new Option(name));
  document.getElementById("anki").addEventListener("click", () => save("anki.txt", ankiText()));
  document.getElementById("csv").addEventListener("click", () => save("errors.csv", csvText()));
  document.getElementById("xgids").addEventListener("click", () => save("xgids.txt", xgidText()));
  const SET = 25;
  let queue = [],
    total = 0,
    atOnce = 0,
    missed = new Set();
  const showScores = () => {
    const days = Object.entries(kept().days || {}).slice(-10);
    scores.textContent = days.length
      ? "Right answers by day: " +
        days
          .map(
            ([day, [right, all]]) =>
              `${new Date(day * 864e5).toISOString().slice(0, 10)} ${right} of ${all}`,
          )
          .join(", ") +
        "."
      : "";
  };
  const keep = (row, isRight, counts) => {
    const all = {boxes: {}, days: {}, ...kept()},
      box = isRight ? Math.min(DAYS.length - 1, (all.boxes[row.xgid]?.[0] ?? 0) + 1) : 0,
      day = today(),
      [right, count] = all.days[day] || [0, 0];
    all.boxes[row.xgid] = [box, day + DAYS[box]];
    if (counts) all.days[day] = [right + isRight, count + 1]; // a retry has no score
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      /* without storage every question is due */
    }
    showScores();
  };
  const ask = () => {
    const row = queue.shift();
    quiz.textContent = row ? "Skip" : "Start";
    if (!row) {
      panel.replaceChildren(
        element(
          "p",
          total
            ? `This set is done: ${atOnce} of ${total} right at once.`
            : "Nothing is due here today.",
        ),
      );
      stage.replaceChildren();
      return;
    }
    stage.replaceChildren(board({...row, shown: false}));
    const isAgain = missed.has(row.xgid);
    panel.replaceChildren(
      element(
        "p",
        isAgain
          ? "Once more, without a score"
          : `${total - queue.filter(one => !missed.has(one.xgid)).length} of ${total}`,
        "note",
      ),
      question(row),
    );
    for (const [number, [words, cost]] of choices(row).entries()) {
      const button = element("button", number < 9 ? `${number + 1}. ${words}` : words);
      if (number < 9) button.dataset.key = number + 1;
      button.type = "button";
      button.addEventListener("click", () => {
        const isRight = cost < DATA.costly,
          next = element("button", "Next question");
        keep(row, +isRight, !isAgain);
        atOnce += isRight && !isAgain;
        if (!isRight) {
          queue.push(row);
          missed.add(row.xgid);
        } // it is asked again in this set
        next.type = "button";
        next.addEventListener("click", ask);
        const draw = plays => stage.replaceChildren(board(row, plays));
        draw();
        panel.replaceChildren(
          question(row),
          element(
            "p",
            isRight
              ? `Your answer, ${words}: right.`
              : `Your answer, ${words}: costs ${cost.toFixed(3)}.`,
            isRight ? "verdict good" : "verdict bad",
          ),
          next,
          element("p", `In the match ${row.player} chose:`, "note"),
          answer(row, draw),
        );
        next.focus();
        quiz.textContent = "Start";
      });
      panel.append(button, " ");
    }
  };
  quiz.addEventListener("click", () => {
    if (quiz.textContent === "Start") {
      const boxes = kept().boxes || {},
        day = today();
      const due = offered.filter(row => (boxes[row.xgid]?.[1] ?? 0) <= day);
      queue = due.slice(0, SET);
      total = queue.length;
      atOnce = 0;
      missed = new Set();
    }
    ask();
  });
  theme?.addEventListener("change", () => {
    const fits = row => !theme.value || themes(row).includes(theme.value);
    offered = ROWS.filter(fits);
    for (const item of document.querySelectorAll("[data-quiz] > li"))
      item.hidden = !fits(ROWS[item.dataset.row]);
  });
  // A row of “What to practise” chooses its theme, shows its boards and starts.
  for (const label of document.querySelectorAll("[data-theme]")) {
    const button = element("button", label.textContent);
    button.type = "button";
    button.title = "A quiz of these";
    button.addEventListener("click", () => {
      theme.value = label.dataset.theme;
      theme.dispatchEvent(new Event("change"));
      quiz.textContent = "Start";
      quiz.click();
      quiz.scrollIntoView();
    });
    label.replaceChildren(button);
  }
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input"))
      return;
    panel.querySelector(`button[data-key="${event.key}"]`)?.click();
  });
  showScores();
}
document.documentElement.dataset.drawn = "";
