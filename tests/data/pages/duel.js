(() => {
  const page = document;
  const [one, two] = page.querySelectorAll("#duel select"), told = page.querySelector("#duel [role=status]");
  const choose = (a, b) => {
    one.value = a; two.value = b; two.dispatchEvent(new Event("change"));
    return told.textContent;
  };
  return [choose(0, 1), choose(2, 0), choose(1, 1)];
})()
