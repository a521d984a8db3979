"use strict";
// Step through the decisions of a match that board.js draws: buttons, arrow keys, a click on the curve, links.
const stage = document.getElementById("stage");
if (stage && COUNT) {
  const panel = document.getElementById("told"), curve = document.querySelector(".chart.playable svg"), here = curve.querySelector(".here");
  let now = 0;
  curve.addEventListener("pointerover", event => {  // the words of an error, when the pointer first rests on it
    const dot = event.target.closest("[class^=error]");
    if (!dot || dot.firstChild) return;
    const decision = at(parseInt(dot.getAttribute("d").slice(1)) - 1), title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = `Game ${decision.game}, ${decision.player}: ${decision.place.slice(26).replace("00", "")} ${decision.played} costs ${share(decision, decision.lossMwc)}${mark(decision)}`;
    dot.append(title);
  });
  const show = (row, focus) => {
    now = Math.max(0, Math.min(COUNT - 1, row));
    const decision = at(now), dice = luck(decision);
    stage.replaceChildren(board(decision));
    panel.replaceChildren(element("h3", `Game ${decision.game}, step ${now + 1} of ${COUNT}`), question(decision), answer(decision));
    if (dice) panel.append(element("p", dice, "note"));
    panel.append(element("p", `Afterwards ${DATA.names[0]} wins the ${DATA.what} with a chance of ${(decision.chance / 10).toFixed(0)}\u00a0%.`, "note"));
    here.setAttribute("x1", now + 1);
    here.setAttribute("x2", now + 1);
    if (focus) document.getElementById("play").scrollIntoView({block: "nearest"});
  };
  const error = sign => {
    for (let row = now + sign; row >= 0 && row < COUNT; row += sign) if (DATA.loss[row] >= DATA.costly) return row;
    return now;
  };
  const gameStart = sign => {
    for (let row = now + sign; row >= 0 && row < COUNT; row += sign) if (row === 0 || DATA.game[row] !== DATA.game[row - 1]) return row;
    return sign < 0 ? 0 : COUNT - 1;
  };
  const go = {first: () => 0, back: () => now - 1, on: () => now + 1, last: () => COUNT - 1, "error-back": () => error(-1), "error-on": () => error(1), "game-back": () => gameStart(-1), "game-on": () => gameStart(1)};
  const keys = {ArrowLeft: "back", ArrowRight: "on", ArrowUp: "error-back", ArrowDown: "error-on", Home: "first", End: "last"};
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-go],[data-ply]");
    if (button) show(button.dataset.go ? go[button.dataset.go]() : Number(button.dataset.ply), button.dataset.ply !== undefined);
  });
  document.getElementById("play").addEventListener("keydown", event => {
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(go[keys[event.key]]());
  });
  document.addEventListener("keydown", event => {
    if (event.target !== document.body || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    show(go[keys[event.key]]());
  });
  curve.addEventListener("click", event => {
    const box = curve.getBoundingClientRect();
    show(Math.round((event.clientX - box.left) / box.width * DATA.end) - 1);
  });
  const linked = () => /^#d(\d+)$/.exec(location.hash);
  addEventListener("hashchange", () => linked() && show(Number(linked()[1]), true));
  show(linked() ? Number(linked()[1]) : Math.max(0, error(1)), Boolean(linked()));
}
