// Compares two players: who is better with which probability, and the chance in a match with its
// interval.
const duel = document.getElementById("duel");
if (duel) {
  const players = JSON.parse(duel.dataset.players),
    chosen = duel.querySelectorAll("select"),
    status = duel.querySelector("[role=status]");
  // The normal distribution (Abramowitz and Stegun 7.1.26).
  const below = z => {
    const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2),
      y =
        1 -
        t *
          (0.254829592 +
            t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) *
          Math.exp((-z * z) / 2);
    return z < 0 ? (1 - y) / 2 : (1 + y) / 2;
  };
  const compare = () => {
    const [one, two] = Array.from(chosen, select => players[select.value]).sort(
        (a, b) => b[1] - a[1],
      ),
      gap = one[1] - two[1];
    const sure = more =>
      below(
        gap /
          Math.hypot(
            ...[one, two].map(([, , spread, count]) => spread * Math.sqrt(count / (count + more))),
          ),
      );
    let more = 0;
    while (more < 1000 && sure(more) < 0.95) more += more < 20 ? 1 : 10;
    // Fewer than five matches do not show the scatter, so the number of matches needed is unknown.
    const settled = !more
      ? " That is settled."
      : Math.min(one[3], two[3]) < 5
        ? ""
        : more < 1000
          ? ` About ${more} more matches of each would settle it.`
          : " 1,000 more matches of each would not settle it.";
    const chance = points => 100 / (1 + 10 ** ((-points * Math.sqrt(7)) / 2000)),
      half = 1.645 * Math.hypot(one[2], two[2]);
    const [chosenChance, low, high] = [gap, gap - half, gap + half].map(points =>
      chance(points).toFixed(0),
    );
    const better = `is better than ${two[0]} with a chance of ${(100 * sure(0)).toFixed(0)} %`;
    const wins = `wins with a chance of ${chosenChance} % (90 % interval: ${low} to ${high} %)`;
    status.textContent =
      one === two
        ? "Choose two different players."
        : `${one[0]} ${better}.${settled} In a match to 7 points ${one[0]} ${wins}.`;
  };
  chosen.forEach(select => select.addEventListener("change", compare));
  compare();
}
