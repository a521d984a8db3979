// Finds positions among those of the page: every field that is filled leaves out those that differ.
const FIND = document.getElementById("find");
if (FIND) {
  const list = document.getElementById("found"),
    more = document.getElementById("more");
  const input = name => FIND.querySelector(`[name=${name}]`);
  const names = Array.from(FIND.querySelectorAll("[name]"), one => one.name);
  const positions = ROWS.map(row => read(row.xgid));
  // A range such as 80-120, 80- or -120; a single number is both ends.
  const within = (value, text) => {
    const [low, high = low] = text.split("-");
    return value >= Number(low) && value <= Number(high || Infinity);
  };
  const sorted = text => Array.from(text.replace(/\D/g, "")).sort().join("");
  const fits = {
    player: (row, _, text) => row.player === text,
    plan: (row, _, text) => row.plan === text,
    error: (row, _, text) => row.error === text,
    score: (row, _, text) => row.score === text,
    away: (_, position, text) => position.away?.join("-") === text.replace(/[^\d]+/, "-"),
    dice: (_, position, text) => sorted(position.dice) === sorted(text),
    cube: (_, position, text) => position.cube === Number(text),
    pips: (_, position, text) => within(position.pips[0], text),
    loss: (row, _, text) => row.loss >= Number(text.replace(",", ".")),
    position: (row, position, text) => isAt(row, position, text.trim()),
  };
  // An XGID from its beginning, or gnubg's position ID with or without its match ID.
  const isAt = (row, position, text) => {
    const xgid = text.replace("XGID=", "");
    return row.xgid.startsWith(xgid, "XGID=".length) || positionId(position) === text.split(":")[0];
  };
  // gnubg's position ID: a 1 for each chequer and a 0 after each point, first of the opponent of
  // the player to move. That is the doubler until the double is answered.
  const positionId = ({own, other, doubled}) => {
    const bits = (doubled ? [own, other] : [other, own])
      .map(side => [...side.slice(1, 25), side[25]].map(count => "1".repeat(count) + "0").join(""))
      .join("")
      .padEnd(80, "0");
    const bytes = bits.match(/.{8}/g).map(byte => parseInt([...byte].reverse().join(""), 2));
    return btoa(String.fromCharCode(...bytes)).slice(0, 14);
  };
  let numbers = [],
    drawn = 0;
  const draw = () => {
    const next = numbers.slice(drawn, drawn + FIRST);
    fill(list, next);
    drawn += next.length;
    more.hidden = drawn === numbers.length;
  };
  const find = () => {
    const asked = names.map(name => [name, input(name).value]).filter(([, text]) => text.trim());
    const matches = (row, number) =>
      asked.every(([name, text]) => fits[name](row, positions[number], text));
    numbers = Array.from(ROWS.keys()).filter(number => matches(ROWS[number], number));
    offered = numbers.map(number => ROWS[number]);
    drawn = 0;
    list.replaceChildren();
    draw();
    document.getElementById("count").textContent =
      `${numbers.length} of ${COUNT} positions, the costliest first`;
    const kept = new URLSearchParams(asked);
    history.replaceState(
      null,
      "",
      asked.length ? `#find:${kept}` : location.pathname + location.search,
    );
  };
  for (const name of ["player", "plan", "error", "score"])
    for (const value of new Set(ROWS.map(row => row[name]).sort()))
      input(name).append(new Option(value));
  for (const cube of new Set(positions.map(position => position.cube).sort((a, b) => a - b)))
    input("cube").append(new Option(cube));
  const restore = () => {
    const asked = new URLSearchParams(location.hash.replace("#find:", ""));
    for (const name of names) input(name).value = asked.get(name) ?? "";
    if (!location.hash && Array.from(input("player").options, one => one.value).includes(me()))
      input("player").value = me();
    find();
  };
  FIND.addEventListener("change", find);
  FIND.addEventListener("keydown", event => event.key === "Enter" && find());
  document.getElementById("all").addEventListener("click", () => {
    for (const name of names) input(name).value = "";
    find();
  });
  more.addEventListener("click", draw);
  addEventListener("hashchange", restore);
  restore();
}
