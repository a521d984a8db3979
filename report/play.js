// Steps through the decisions of a match that board.js draws: buttons, arrow keys, swipes, the
// list, the curve, links.
const stage = document.getElementById("stage");
if (stage && COUNT) {
  const panel = document.getElementById("answer"),
    curve = document.querySelector(".chart.playable svg"),
    here = curve.querySelector(".here");
  const moves = document.getElementById("moves"),
    sieves = document.querySelectorAll("select[data-sieve]");
  const letters = {play: "play", double: "double", take: "answer", pass: "answer"},
    sizes = {all: 0, error: DATA.costly, blunder: DATA.blunder};
  let now = 0,
    filter = {side: "", size: "all", kind: ""};
  const passes = row =>
    (filter.side === "" || filter.side === DATA.side[row]) &&
    DATA.loss[row] >= sizes[filter.size] &&
    (filter.kind === "" || filter.kind === letters[DATA.kind[row]]);
  // The score before a decision, the left player's first.
  const scoreOf = decision => {
    const {score} = read(decision.xgid);
    return (decision.seat ? score.toReversed() : score).join("–");
  };
  const lines = Array.from({length: COUNT}, (_, row) => {
    const decision = at(row),
      item = element("li"),
      button = element("button", undefined, `seat${decision.seat}`);
    if (!row || DATA.game[row] !== DATA.game[row - 1])
      item.append(element("h3", `Game ${decision.game}, ${scoreOf(decision)}`));
    button.type = "button";
    button.tabIndex = -1; // the Tab key stops once in the list; arrow keys step
    button.dataset.ply = row;
    button.append(element("b", decision.dice), element("span", decision.played));
    if (decision.loss >= DATA.costly)
      button.append(
        element(
          "i",
          `−${decision.loss.toFixed(3)}`,
          decision.loss >= DATA.blunder ? "blunder" : "error",
        ),
      );
    button.setAttribute(
      "aria-label",
      `Game ${decision.game}, ${decision.player}: ${button.textContent}`,
    );
    item.append(button);
    moves.append(item);
    return button;
  });
  const sieve = () => {
    filter = Object.fromEntries(Array.from(sieves, select => [select.dataset.sieve, select.value]));
    lines.forEach((button, row) => (button.hidden = !passes(row)));
    for (const item of document.querySelectorAll("ol.boards > li"))
      item.hidden = !passes(item.dataset.row);
    document.getElementById("sieved").textContent =
      `${lines.filter(button => !button.hidden).length} shown`;
  };
  sieves.forEach(select => select.addEventListener("change", sieve));
  curve.addEventListener("pointerover", event => {
    // the title of an error, made when the pointer first reaches it
    const dot = event.target.closest("[class^=error] > path");
    if (!dot || dot.firstChild) return;
    const decision = at(parseInt(dot.getAttribute("d").slice(1)) - 1),
      title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    const cost = `costs ${share(decision, decision.lossMwc)}${mark(decision)}`;
    const play = `${decision.dice} ${decision.played}`;
    title.textContent = `Game ${decision.game}, ${decision.player}: ${play} ${cost}`;
    dot.append(title);
  });
  const show = (row, focus) => {
    now = Math.max(0, Math.min(COUNT - 1, row));
    const decision = at(now),
      dice = luck(decision),
      draw = plays => stage.replaceChildren(board(decision, plays));
    draw();
    panel.replaceChildren(
      element("h2", `Game ${decision.game}, step ${now + 1} of ${COUNT}`),
      question(decision),
      answer(decision, draw),
    );
    if (dice) panel.append(element("p", dice, "note"));
    const chance = `a chance of ${(100 * decision.chance).toFixed(0)}\u00a0%`;
    const after = `Afterwards ${DATA.names[0]} wins the ${DATA.what} with ${chance}.`;
    panel.append(element("p", after, "note"));
    here.setAttribute("x1", now + 1);
    here.setAttribute("x2", now + 1);
    const last = moves.querySelector("[aria-current]");
    if (last) {
      last.removeAttribute("aria-current");
      last.tabIndex = -1;
    }
    lines[now].setAttribute("aria-current", "true");
    lines[now].tabIndex = 0;
    moves.scrollTop = lines[now].parentElement.offsetTop - moves.clientHeight / 2;
    if (focus) document.getElementById("play").scrollIntoView({block: "nearest"});
  };
  const error = sign => {
    for (let row = now + sign; row >= 0 && row < COUNT; row += sign)
      if (DATA.loss[row] >= DATA.costly && passes(row)) return row;
    return now;
  };
  const gameStart = sign => {
    for (let row = now + sign; row >= 0 && row < COUNT; row += sign)
      if (row === 0 || DATA.game[row] !== DATA.game[row - 1]) return row;
    return sign < 0 ? 0 : COUNT - 1;
  };
  const go = {
    first: () => 0,
    back: () => now - 1,
    on: () => now + 1,
    last: () => COUNT - 1,
    "error-back": () => error(-1),
    "error-on": () => error(1),
    "game-back": () => gameStart(-1),
    "game-on": () => gameStart(1),
  };
  const keys = {
    ArrowLeft: "back",
    ArrowRight: "on",
    ArrowUp: "error-back",
    ArrowDown: "error-on",
    Home: "first",
    End: "last",
  };
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-go],[data-ply],[data-turn],.more");
    if (button?.matches(".more")) sieve();
    else if (button?.dataset.turn !== undefined) {
      below = 1 - below;
      show(now);
      for (const item of document.querySelectorAll("ol.boards > li"))
        item.firstChild.replaceWith(board(at(item.dataset.row)));
    } else if (button)
      show(
        button.dataset.go ? go[button.dataset.go]() : Number(button.dataset.ply),
        button.dataset.ply !== undefined,
      );
  });
  let touched = null;
  stage.addEventListener("touchstart", event => (touched = event.changedTouches[0]), {
    passive: true,
  });
  stage.addEventListener("touchend", event => {
    const end = event.changedTouches[0],
      x = end.clientX - touched.clientX,
      y = end.clientY - touched.clientY;
    if (Math.abs(x) > 40 && Math.abs(x) > 2 * Math.abs(y)) show(now - Math.sign(x));
  });
  // Keys work without a click; once the board is scrolled away, up, down, Home and End scroll the
  // page as usual.
  const place = document.getElementById("play");
  document.addEventListener("keydown", event => {
    if (
      event.target.matches("select, input") ||
      !keys[event.key] ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey
    )
      return;
    const isHere =
      place.contains(event.target) ||
      (event.target === document.body && place.getBoundingClientRect().bottom > innerHeight / 3);
    if (!isHere && !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    show(go[keys[event.key]]());
  });
  curve.addEventListener("click", event => {
    const box = curve.getBoundingClientRect();
    show(Math.round(((event.clientX - box.left) / box.width) * (COUNT + 1)) - 1);
  });
  const linked = () => /^#d(\d+)$/.exec(location.hash);
  addEventListener("hashchange", () => linked() && show(Number(linked()[1]), true));
  const costliest = isOne =>
    DATA.lossMwc.reduce(
      (most, loss, row) => (isOne(row) && loss > (DATA.lossMwc[most] ?? 0) ? row : most),
      -1,
    );
  // A match opens at the reader's costliest decision, and at the costliest of all where the reader
  // made no error.
  const own = costliest(row => DATA.side[row] === ["left", "right"][READER]);
  show(linked() ? Number(linked()[1]) : own < 0 ? costliest(() => true) : own, Boolean(linked()));
  if (READER !== null)
    document
      .getElementById("costliest")
      .prepend(document.querySelector(`#costliest [data-side=${["left", "right"][READER]}]`));
}
document.documentElement.dataset.drawn = "";
