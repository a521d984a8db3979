// The player whose pages these are ("me"): chosen on any page. The address keeps the choice, and
// the browser does too where it may.
const NAV = document.querySelector("nav[data-people]");
const KEPT = `bgrating reader of ${NAV?.dataset.collection}`;
const MINE = new URLSearchParams(location.search).get("me");
function me() {
  if (MINE !== null) return MINE;
  try {
    return localStorage.getItem(KEPT) ?? NAV?.dataset.owner;
  } catch {
    return NAV?.dataset.owner;
  }
}
function become(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // the address keeps it
  }
  const address = new URL(location.href);
  address.searchParams.set("me", name);
  location.href = address;
}
if (NAV) {
  const names = new Set([me(), ...JSON.parse(NAV.dataset.people)].filter(Boolean));
  const label = document.createElement("label");
  const select = document.createElement("select");
  label.className = "me";
  label.append("I am ", select);
  select.append(new Option("somebody else", ""), ...Array.from(names, name => new Option(name)));
  select.value = me() ?? "";
  select.addEventListener("change", () => become(select.value));
  NAV.append(label);
}
// Links to other pages carry a choice that the address has.
if (MINE !== null) {
  for (const link of document.querySelectorAll('a[href*=".html"]')) link.search = location.search;
}
// The page of a collection speaks to the chosen player as it does to its owner.
const you = document.getElementById("you");
if (you) {
  const links = Array.from(document.querySelectorAll('.names a[href*="players/"]'));
  const own = links.find(link => link.textContent === me());
  own?.closest("tr").setAttribute("aria-current", "true");
  you.hidden = !own && you.dataset.reader !== (me() || null);
  if (own && you.dataset.reader !== me()) {
    const heading = document.createElement("h2");
    const text = document.createElement("p");
    heading.append("You: ", own.cloneNode(true));
    text.textContent = "Your worst errors, what to practise and the quiz are on your page.";
    you.replaceChildren(heading, text);
  }
}
