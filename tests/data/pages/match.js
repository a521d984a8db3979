(() => {
  const page = document, panel = page.getElementById("answer"), found = {};
  const play = page.getElementById("play");
  const press = key => play.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  const where = () => panel.querySelector("h2").textContent;
  found.title = page.title;
  found.first = where();
  press("Home"); found.home = where();
  press("ArrowRight"); found.right = where();
  press("ArrowLeft"); press("ArrowLeft"); found.left = where();
  found.seen = [];
  for (let n = 0; n < 6; n++) { press("ArrowDown"); found.seen.push(where()); }
  press("End"); found.end = where();
  page.querySelector("[data-ply='2']").click(); found.jump = panel.textContent.replaceAll("\u00a0", " ");
  found.arrows = page.querySelectorAll("#stage path.made, #stage path.best").length;
  found.dice = Array.from(page.querySelectorAll("#stage .die ~ text.value"), one => one.textContent);
  found.chequers = ["seat0", "seat1"].map(kind => page.querySelectorAll(`#stage circle.${kind}[r="12"]`).length);
  found.names = Array.from(page.querySelectorAll("#stage text.name"), one => one.textContent);
  page.querySelector("[data-turn]").click();
  found.turned = Array.from(page.querySelectorAll("#stage text.name"), one => one.getAttribute("y"));
  found.moves = Array.from(page.querySelectorAll("#moves li"), one => one.textContent);
  found.current = page.querySelector("#moves [aria-current]").dataset.ply;
  const choose = (sieve, value) => {
    const select = page.querySelector(`select[data-sieve=${sieve}]`);
    select.value = value; select.dispatchEvent(new Event("change"));
  };
  const number = one => one.hidden ? "" : one.dataset.ply ?? one.dataset.row;
  const seen = where => Array.from(page.querySelectorAll(where), number).filter(Boolean);
  const chosen = [["size", "error"], ["kind", "play"], ["size", "all"], ["side", "right"], ["kind", ""]];
  found.sieved = chosen.map(([sieve, value]) => {
    choose(sieve, value); return [seen("#moves button").join(), seen("ol.boards > li").join()];
  });
  const touch = (kind, x) => {
    const touches = [new Touch({identifier: 1, target: page.getElementById("stage"), clientX: x, clientY: 200})];
    page.getElementById("stage").dispatchEvent(new TouchEvent(kind, {changedTouches: touches}));
  };
  found.before = where(); touch("touchstart", 300); touch("touchend", 200); found.swiped = where();
  touch("touchstart", 200); touch("touchend", 300); found.back = where();
  found.games = Array.from(page.querySelectorAll(".chart .g"), one => one.textContent);
  found.label = page.querySelector("#stage svg").getAttribute("aria-label");
  found.boards = page.querySelectorAll("ol.boards svg.board").length;
  found.list = Array.from(page.querySelectorAll("ol.boards li"), one => one.textContent);
  const over = () => new Event("pointerover", {bubbles: true});
  page.querySelectorAll(".chart [class^=error] > path").forEach(dot => dot.dispatchEvent(over()));
  found.dots = Array.from(page.querySelectorAll(".chart path title"), one => one.textContent.replaceAll("\u00a0", " "));
  found.here = page.querySelector(".here").getAttribute("x1");
  return found;
})()
