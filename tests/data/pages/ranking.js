(() => {
  const page = document, found = {};
  const column = n => Array.from(page.querySelectorAll("#players tbody tr"), row => row.cells[n].textContent);
  const press = n => page.querySelectorAll("#players thead button")[n].click();
  found.title = page.title;
  found.scripts = page.scripts.length;
  const bars = page.querySelectorAll("#players svg.interval");
  found.said = Array.from(page.querySelectorAll("#players svg.interval title"), one => one.textContent);
  page.querySelector("#players").parentElement.nextElementSibling.click();
  found.drawn = Array.from(bars, one => one.getBoundingClientRect().width > 50);
  press(2); found.falling = column(2);
  press(2); found.rising = column(2);
  press(1); press(1); found.names = column(1);
  press(3); found.bars = column(2);
  const box = page.querySelector("input");
  box.value = "PLAYER 1"; box.dispatchEvent(new Event("input"));
  found.filtered = Array.from(page.querySelectorAll("#players tbody tr")).filter(row => !row.hidden).length;
  found.count = page.getElementById("players-count").textContent;
  found.fetched = performance.getEntriesByType("resource").map(entry => entry.name.slice(0, 5));
  return found;
})()
