// The page of `bgrating serve`: uploads dropped files, shows the queue from the server's events. No
// text is set as HTML.
const form = document.getElementById("drop"),
  list = document.getElementById("list"),
  news = document.getElementById("news");

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function answer(response) {
  const reply = await response.json().catch(() => ({error: "the server does not answer"}));
  if (!response.ok) news.textContent = reply.error;
  return response.ok ? reply : null;
}

// The name of a collection that has none: that of its folder, or of its only file.
function nameOf(files, folder) {
  const stem = folder || (files.length === 1 ? files[0].name.replace(/[.][^.]*$/, "") : "");
  const letters = stem.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return letters.slice(0, 100) || "matches";
}

// Files make a new collection, or join the collection `joined`.
async function upload(files, joined = "", folder = "") {
  if (!files.length || !form.reportValidity()) return;
  const body = new FormData();
  body.append("collection", joined || form.elements.collection.value || nameOf(files, folder));
  body.append("level", form.elements.level.value);
  if (joined) body.append("joins", "yes");
  for (const file of files) body.append("files", file, file.name);
  news.textContent = `Files on their way: ${files.length}.`;
  try {
    const reply = await answer(await fetch("/drop", {method: "POST", body}));
    if (!reply) return;
    const out = reply.left_out;
    const kept = reply.names.length
      ? `Files kept in ${reply.names.join(", ")}: ${files.length - out.length}.`
      : "No file was kept.";
    news.textContent =
      kept +
      (out.length ? ` Left out: ${out.slice(0, 50).join(", ")}. Such endings are unknown.` : "");
  } catch {
    news.textContent = "The server does not answer: start bgrating serve again.";
  }
}

async function act(name, verb, more = {}) {
  await answer(
    await fetch("/do", {method: "POST", body: JSON.stringify({name, do: verb, ...more})}),
  );
}

function button(text, action) {
  const made = element("button", text, {type: "button"});
  made.addEventListener("click", action);
  return made;
}

function link(text, page) {
  return element("a", text, {href: `/results/${page}`, target: "_blank", rel: "noopener"});
}

// A list has a rating by each system; its standing has the first of these (bgleague/standing.py).
const SYSTEMS = ["history", "fibs", "logistic", "elo"];

// The players of an answer, each with a link once their page is there.
function table({players, page}) {
  const shown = value => (value === null || value === undefined ? "–" : Math.round(value));
  const made = element("table"),
    head = made.createTHead().insertRow(),
    body = made.createTBody();
  for (const name of ["Player", "Rating", "90 % sure", "PR", "Matches"])
    head.append(element("th", name, {scope: "col"}));
  for (const one of players) {
    const row = body.insertRow(),
      pr = typeof one.pr === "number" ? one.pr.toFixed(1) : "–",
      system = SYSTEMS.find(name => name in one),
      prefix = system ? `${system}_` : "",
      low = one[`${prefix}ci_low`] ?? null;
    const cells = [
      shown(one[system ?? "rating"]),
      low === null ? "–" : `${shown(low)} to ${shown(one[`${prefix}ci_high`])}`,
    ];
    const folder = page.replace(/[^/]*$/, "");
    row
      .insertCell()
      .append(page.startsWith("human/") ? link(one.player, folder + one.page) : one.player);
    for (const text of [...cells, pr, one.matches ?? one.games ?? "–"])
      row.insertCell().textContent = text;
  }
  return made;
}

function card(one) {
  const made = element("section", "", {
    class: "card",
    "data-name": one.name,
    "data-state": one.state,
  });
  if (one.watched) made.dataset.watched = "";
  const isNamed = !one.reader || one.name.includes(one.reader);
  made.append(element("h3", isNamed ? one.name : `Matches of ${one.reader} (${one.name})`));
  const line = element(
    "p",
    {
      waiting: "Waits",
      running: "At work",
      rated: "Rated",
      stopped: "Stopped",
      failed: "Failed",
      empty: "Nothing here yet",
    }[one.state],
  );
  made.append(line);
  if (one.state === "running" && one.progress.total) {
    const left = one.progress.seconds_left;
    const done = `${one.progress.done} of ${one.progress.total} ${one.progress.what}`;
    const time = left === null || left === undefined ? "" : `, about ${Math.ceil(left)} s left`;
    line.textContent = `${one.players.length ? "Still being computed: " : ""}${done}${time}`;
    made.append(
      element("progress", "", {
        max: one.progress.total,
        value: one.progress.done,
        "aria-label": one.name,
      }),
    );
  }
  if (one.page) made.append(link("Open the page", one.page));
  if (one.players.length) made.append(table(one));
  else if (one.message) made.append(element("pre", one.message));
  if (one.rejected.length) {
    const rows = element("ul");
    rows.append(...one.rejected.map(row => element("li", `${row.file}: ${row.reason}`)));
    made.append(element("p", "Not rated:"), rows);
  }
  for (const row of one.aliases) {
    const question = element("p", `Are ${row.alias} and ${row.name} one person? `);
    question.append(
      button("Yes, one person", () => act(one.name, "alias", {alias: row.alias, player: row.name})),
    );
    made.append(question);
  }
  const buttons = element("p", "", {class: "steps"});
  if (one.state === "waiting" || one.state === "running")
    buttons.append(button("Stop", () => act(one.name, "stop")));
  else {
    buttons.append(button("Rate again", () => act(one.name, "again")));
    if (!one.watched)
      buttons.append(
        button("Add files", () => {
          const input = element("input", "", {type: "file", multiple: ""});
          input.addEventListener("change", () => upload([...input.files], one.name));
          input.click();
        }),
        button("Remove", () => {
          const what = `the uploaded files, tables and pages of ${one.name}`;
          if (confirm(`Move ${what} to the folder “removed”?`))
            act(one.name, "remove", {sure: true});
        }),
      );
  }
  made.append(buttons);
  return made;
}

async function entries(item) {
  if (item.isFile) return [await new Promise((done, failed) => item.file(done, failed))];
  const reader = item.createReader(),
    found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const inner of some) found.push(...(await entries(inner)));
  }
}

// The target of a drop: a collection of dropped files, else the form for new collections.
function target(event) {
  const over = event.target.closest?.("[data-name]:not([data-watched])");
  return over ?? form;
}

function mark(place) {
  for (const marked of document.querySelectorAll(".over"))
    if (marked !== place) marked.classList.remove("over");
  place?.classList.add("over");
}

document.addEventListener("dragover", event => {
  event.preventDefault();
  mark(target(event));
});
document.addEventListener("dragleave", event => {
  if (!event.relatedTarget) mark(null);
});
document.addEventListener("drop", async event => {
  event.preventDefault();
  mark(null);
  const joined = target(event).dataset.name ?? "";
  const dropped = [...event.dataTransfer.items]
    .map(item => item.webkitGetAsEntry && item.webkitGetAsEntry())
    .filter(Boolean);
  const folder = dropped.find(entry => entry.isDirectory)?.name ?? "";
  const files = dropped.length
    ? (await Promise.all(dropped.map(entries))).flat()
    : [...event.dataTransfer.files];
  upload(files, joined, folder);
});
for (const name of ["files", "folder"]) {
  form.elements[name].addEventListener("change", async event => {
    const files = [...event.target.files];
    await upload(files, "", files[0]?.webkitRelativePath.split("/")[0]);
    event.target.value = "";
  });
}
form.addEventListener("submit", event => event.preventDefault());

const events = new EventSource("/events");
events.onmessage = event => {
  const found = JSON.parse(event.data);
  list.replaceChildren(
    ...(found.length ? found.map(card) : [element("p", "Nothing has been dropped yet.")]),
  );
};
events.onerror = () => {
  news.textContent = "The server does not answer: start bgrating serve again.";
};
