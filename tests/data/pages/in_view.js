(() => {
  const box = at => document.querySelector(at).getBoundingClientRect();
  const names = ["#stage svg.board", "#answer table", ".track .chart svg", "#moves", "#headline"];
  return Object.fromEntries(names.map(at => [at, box(at).top >= 0 && box(at).bottom <= innerHeight + 1]));
})()
