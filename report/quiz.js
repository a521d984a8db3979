// A quiz of the costly decisions that board.js draws. Missed ones come again; this browser keeps what is due and the score.
const quiz = document.getElementById("ask"), KEY = "bgrating quiz";
const DAYS = [0, 1, 3, 7, 21];  // until a question comes again, by how often it was answered right in a row
const kept = () => { try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; } };
const phase = row => row.kind === "play" ? row.theme : row.kind === "double" ? "double" : "answer";
const today = () => Math.floor(Date.now() / 864e5);
// What one may answer, in an order that tells nothing, and what each answer costs.
function choices(row) {
  if (row.kind === "play") return row.plays.map(([play, equity]) => [play, row.plays[0][1] - equity]).sort((a, b) => a[0] < b[0] ? -1 : 1);
  const taken = Math.min(row.dt, 1), right = row.kind === "double" ? row.nd - taken : 1 - row.dt;  // above 0: not to double, to take
  return (row.kind === "double" ? ["No double", "Double"] : ["Take", "Pass"]).map((words, n) => [words, Math.max(0, n ? right : -right)]);
}
// One line a question for Anki's own import of texts: front (board and question), back (answer), XGID, tag.
function ankiText() {
  const style = "<style>" + Array.from(document.styleSheets[0].cssRules).map(rule => rule.cssText).filter(text => text.startsWith(".board ") || text.startsWith(":root")).join("") + "</style>";
  const field = nodes => nodes.map(node => typeof node === "string" ? node : node.outerHTML).join("").replace(/[\t\n\r]+/g, " ");
  const lines = Array.from({length: COUNT}, (_, number) => {
    const row = at(number), solution = answer(row);
    solution.querySelector(".copy").remove();
    return [field([style, board({...row, shown: false}), question(row)]), field([board(row), solution]), `XGID=${row.xgid}`, phase(row)].map(text => text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text).join("\t");
  });
  return ["#separator:tab", "#html:true", "#columns:Front\tBack\tXGID\tTags", "#tags column:4", ...lines].join("\n") + "\n";
}
const xgidText = () => Array.from({length: COUNT}, (_, number) => `XGID=${at(number).xgid}\n`).join("");
function save(name, text) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "text/plain"}));
  link.download = name;
  link.click();
}
if (quiz) {
  const stage = document.getElementById("stage"), panel = document.getElementById("told"), theme = document.getElementById("theme"), scores = document.getElementById("scores");
  const rows = Array.from({length: COUNT}, (_, number) => at(number));
  for (const name of Object.keys(DATA.phases)) if (rows.some(row => phase(row) === name)) theme.append(new Option(DATA.phases[name], name));
  document.getElementById("anki").addEventListener("click", () => save("anki.txt", ankiText()));
  document.getElementById("xgids").addEventListener("click", () => save("xgids.txt", xgidText()));
  let queue = [];
  const told = () => {
    const days = Object.entries(kept().days || {}).slice(-10);
    scores.textContent = days.length ? "Right answers by day: " + days.map(([day, [right, all]]) => `${new Date(day * 864e5).toISOString().slice(0, 10)} ${right} of ${all}`).join(", ") + "." : "";
  };
  const keep = (row, isRight) => {
    const all = {boxes: {}, days: {}, ...kept()}, box = isRight ? Math.min(DAYS.length - 1, (all.boxes[row.xgid]?.[0] ?? 0) + 1) : 0, day = today(), [right, count] = all.days[day] || [0, 0];
    all.boxes[row.xgid] = [box, day + DAYS[box]];
    all.days[day] = [right + isRight, count + 1];
    try { localStorage.setItem(KEY, JSON.stringify(all)); } catch { /* a browser that keeps nothing asks all again */ }
    told();
  };
  const ask = () => {
    const row = queue.shift();
    quiz.textContent = row ? "Skip" : "Start";
    if (!row) { panel.replaceChildren(element("p", "Nothing more is due in this theme today.")); stage.replaceChildren(); return; }
    stage.replaceChildren(board({...row, shown: false}));
    panel.replaceChildren(question(row));
    for (const [words, cost] of choices(row)) {
      const button = element("button", words);
      button.type = "button";
      button.addEventListener("click", () => {
        const isRight = cost < DATA.costly, next = element("button", "Next question");
        keep(row, +isRight);
        if (!isRight) queue.push(row);  // it comes again in this round
        next.type = "button";
        next.addEventListener("click", ask);
        const draw = plays => stage.replaceChildren(board(row, plays));
        draw();
        panel.replaceChildren(question(row), element("p", isRight ? `${words}: right.` : `${words}: costs ${cost.toFixed(3)}.`, isRight ? "verdict good" : "verdict bad"), next, answer(row, draw));
        next.focus();
        quiz.textContent = "Start";
      });
      panel.append(button, " ");
    }
  };
  quiz.addEventListener("click", () => {
    if (quiz.textContent === "Start") {
      const boxes = kept().boxes || {}, day = today();
      queue = rows.filter(row => (!theme.value || phase(row) === theme.value) && (boxes[row.xgid]?.[1] ?? 0) <= day);
    }
    ask();
  });
  told();
}
document.documentElement.dataset.drawn = "";
