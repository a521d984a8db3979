"""What the columns of a list mean.

By headings in many languages, else by the words of a heading.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import count

from bgleague.dates import plain
from bgrating.suggestion import without_marks

NAMES = {
    "date": (
        "date day played when datetime matchdate playedon playedat datum spieldatum spieltag fecha"
        " dato kampdato data jour dag createdat created timestamp startedat endedat finishedat time"
        " tarih paiva дата ημερομηνια 日付 日期"
    ),
    "player1": (
        "homeplayer player1 playera p1 name1 player white home nameone challenger spieler1 spielera"
        " spieler heim joueur1 spiller1 hjemme jugador1 giocatore1 jogador1 speler1 spelare1"
        " pelaaja1 zawodnik1 gracz1 hrac1 jatekos1 oyuncu1 игрок1 παικτης1 選手1"
    ),
    "player2": (
        "awayplayer player2 playerb p2 name2 opponent black away nametwo challenged defender"
        " spieler2 spielerb gegner gast joueur2 spiller2 ude jugador2 giocatore2 jogador2 speler2"
        " spelare2 pelaaja2 zawodnik2 gracz2 hrac2 jatekos2 oyuncu2 игрок2 παικτης2 選手2"
    ),
    "score1": (
        "score1 scorea s1 resa res1 points1 pts1 result1 player1score homescore punkte1 pkt1"
        " ergebnis1 puntos1 punti1 pontos1 punten1 pisteet1 punkty1 puan1 очки1 得点1"
    ),
    "score2": (
        "score2 scoreb s2 resb res2 points2 pts2 result2 player2score awayscore punkte2 pkt2"
        " ergebnis2 puntos2 punti2 pontos2 punten2 pisteet2 punkty2 puan2 очки2 得点2"
    ),
    "score": (
        "score result ergebnis resultat spielstand resultado risultato punteggio uitslag tulos"
        " wynik vysledek eredmeny skor sonuc счет результат σκορ スコア 結果"
    ),
    "outcome": "result outcome winloss wl wonlost ergebnis resultat resultado",
    "winner": (
        "winner won wonby sieger gewinner gagnant vinder ganador vincitore vencedor winnaar vinnare"
        " vinner voittaja zwyciezca vitez gyoztes kazanan победитель νικητης 勝者"
    ),
    "loser": (
        "loser lost verlierer perdant taber perdedor perdente verliezer forlorare taper haviaja"
        " przegrany porazeny vesztes kaybeden проигравшии ηττημενος 敗者"
    ),
    "length": (
        "length matchlength len points to n pointmatch matchto target lange matchlange distanz bis"
        " punkte pts"
    ),
    "id": "id matchid gameid number nr no nummer matchno matchnumber gameno gamenumber",
    "clock": "time clock uhrzeit starttime heure hora tid klokken ora",
    "remark": (
        "remark remarks comment comments note notes bemerkung bemerkungen kommentar anmerkung"
    ),
}
"""Headings, as `plain` writes them, by the meaning of the column; an outcome is a word beside a
score."""
_COUNTED = {"name", "player", "spieler", "member", "team", "played", "games", "rank"}
"""Headings of a season's table, which counts won and lost matches."""
_CONCEPTS = {
    "1": "home white your yours you my me mine i reporter submitter challenger host",
    "2": "away black opponent opponents their rival guest visitor defender challenged",
    "won": "winner winners winning won win victor",
    "lost": "loser losers losing lost loss defeated",
    "first": "1 one first a left top",
    "second": "2 two second b right bottom",
    "score": "score scores points pts point goals sets legs",
    "result": "result results outcome",
    "date": "date day datetime timestamp",
    "when": "time played completed finished started created utc start end updated at",
    "length": "length long race target targets",
    "handicap": "handicap handicaps spot headstart",
    "id": "id num number no code nr",
    "nothing": (
        "s the of a an and in is was what which who did by to match matches game tourney tournament"
        " event p name names full nick nickname player players user username participant competitor"
        " contestant entrant member handle display final on please enter for csv"
    ),
}
"""Words of headings by what they stand for. Those of `first` and `second` say it beside another
word only."""
_CONCEPT = {
    word: concept for concept, words in reversed(_CONCEPTS.items()) for word in words.split()
}
_PLACES = {"first": "1", "second": "2"}
_MEANINGS = {
    "1": "player1",
    "2": "player2",
    "won": "winner",
    "lost": "loser",
    "1 score": "score1",
    "2 score": "score2",
    "score won": "score_won",
    "lost score": "score_lost",
    "score": "score",
    "result": "score",
    "1 2 score": "score",
    "1 2 result": "score",
    "1 result": "outcome",
    "1 won": "outcome",
    "date": "date",
    "date when": "date",
    "length": "length",
    "length score": "length",
    "id": "id",
    "handicap": "handicap",
    "1 handicap": "handicap",
    "2 handicap": "handicap",
    "1 length": "target1",
    "2 length": "target2",
}
"""What a column means by the concepts of its heading, in the order of the alphabet."""


def words_of(heading: str) -> list[str]:
    """Return the words and numbers of a heading, such as `winner` and `name` of winner_name and of
    WinnerName.
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", without_marks(heading))
    return re.findall(r"[^\W\d_]+|\d+", apart.lower())


def _by_words(heading: str) -> str:
    """Return the meaning of a heading by its words.

    Nothing if a word is not known or they say no one thing.
    """
    words = words_of(heading)
    concepts = {_CONCEPT.get(word, "unknown") for word in words} - {"nothing"}
    places = concepts & set(_PLACES)
    if places and len(words) > 1:
        # Opponent 1 is the first player.
        concepts = concepts - places - {"1", "2"} | {_PLACES[place] for place in places}
    return _MEANINGS.get(" ".join(sorted(concepts)), "")


def columns_of(head: Sequence[str]) -> dict[str, int]:
    """Return the places of a list's columns by meaning (a key of NAMES).

    Empty for a table that is no such list.

    Case, accents, spaces and punctuation of names do not matter. If two columns have the same name,
    the first is the first player's. A list needs two players and a score or a winner. Other
    meanings: `score_won` and `score_lost` (of the winner and the loser), `target1` and `target2`
    (the points that each player needs), `handicap`.
    """
    heading = [plain(name) for name in head]
    # The first of two equal names gets a 1, the second a 2.
    twice = {name: count(1) for name, number in Counter(heading).items() if name and number == 2}
    heading = [f"{name}{next(twice[name])}" if name in twice else name for name in heading]
    columns: dict[str, int] = {}
    for meaning, names in NAMES.items():
        places = [heading.index(name) for name in names.split() if name in heading]
        if places and places[0] not in columns.values():
            columns[meaning] = places[0]
    for at, name in enumerate(head):
        meaning = _by_words(name)
        if meaning and meaning not in columns and at not in columns.values():
            columns[meaning] = at
    if "score_won" in columns and "score_lost" in columns and "score1" not in columns:
        columns["score1"] = columns.pop("score_won")
        columns["score2"] = columns.pop("score_lost")
    found = set(columns)
    is_season = (
        {"won", "lost"} <= set(heading) and "player2" not in columns and _COUNTED & set(heading)
    )
    has_result = {"score1", "score2"} <= found or found & {"score", "winner", "outcome"}
    is_scored = {"player1", "player2"} <= found and has_result
    return columns if not is_season and (is_scored or {"winner", "loser"} <= found) else {}
