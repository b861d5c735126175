"""How people word a new value: with a reason, through somebody who changed it, in words of change; and what only
looks like it.
"""

import pytest

from threengram.core.consolidation.classify import classify
from threengram.core.consolidation.relation import Relation, Statement
from threengram.schema.enums import MemoryType

FACT, DECISION = MemoryType.FACT, MemoryType.DECISION
COMMITMENT, PREFERENCE = MemoryType.COMMITMENT, MemoryType.PREFERENCE
TAKES_OVER = (Relation.IDENTICAL, Relation.NEWER_VALUE)


def relation(older: str, newer: str, memory_type: MemoryType = FACT) -> Relation:
    return classify(Statement(memory_type, "Notes", older), Statement(memory_type, "Notes", newer)).relation


NEWER = {
    "a reason": [
        ("The kiosk closes at 20:00.", "The kiosk closes at 21:00 because the nights are warm.", FACT),
        ("Der Chor singt um 19 Uhr.", "Der Chor singt um 20 Uhr, weil der Bus später kommt.", FACT),
        ("Le colis pèse 4 kg.", "Le colis pèse 5 kg à cause de l'emballage.", FACT),
    ],
    "a comment or consequence": [
        ("The shuttle departs at 7:10.", "The shuttle departs at 7:25, the driver asked for it.", FACT),
        ("The kiln holds 40 mugs.", "Rebuilt the shelves, so the kiln holds 55 mugs.", FACT),
        ("The fee is due on 3 May.", "The treasurer agreed: the fee is due on 20 May.", FACT),
        ("Emil starts at 7:40.", "Correction: Emil starts at 7:50, the first note was wrong.", FACT),
    ],
    "somebody who changed it": [
        ("The syrup dose is 5 ml.", "The nurse raised the syrup dose to 8 ml.", FACT),
        ("Grandpa takes 20 mg of statin.", "Dr. Amari lowered Grandpa's statin to 10 mg.", FACT),
        ("The audit is booked for 4 June.", "Our auditor rescheduled the audit to 11 June.", COMMITMENT),
    ],
    "when it was changed": [
        ("The oven is at 230 °C.", "The baker lowered the oven to 210 °C yesterday.", FACT),
        ("Die Frist beträgt 5 Tage.", "Die Frist wurde auf 9 Tage verlängert.", FACT),
    ],
    "another head": [
        ("Olga leads the survey group.", "Since this week Marek leads the survey group.", FACT),
        ("Jan leidt het onderzoek.", "Piet leidt nu het onderzoek.", FACT),
    ],
    "words of change": [
        ("The tank is 300 l.", "The tank grew to 420 l.", FACT),
        ("The bin is emptied on Mondays.", "The bin is emptied on Thursdays from now on.", FACT),
        ("A quota da associação é de 30 euros.", "A quota da associação subiu para 36 euros.", FACT),
        ("泳池的门票是40元。", "泳池的门票涨到了45元。", FACT),
        ("昼食は11時です。", "昼食は12時に変わりました。", FACT),
        ("印刷にはGIMPを使う。", "印刷にはGIMPではなくKritaを使う。", DECISION),
        ("New bookings go to Lena.", "New bookings go to Timo as of today.", FACT),
        ("The plumber's phone number is 040 555 0101.", "New phone number of the plumber: 040 555 0177.", FACT),
        ("User drinks black tea.", "User no longer drinks black tea and switched to green tea.", PREFERENCE),
    ],
    "a date since when": [
        ("Die Mensa öffnet um 11:30 Uhr.", "Die Mensa öffnet ab Mai schon um 11 Uhr.", FACT),
    ],
    "one of a unit": [("El curso dura una semana.", "El curso dura tres semanas.", FACT)],
    "a bare hour": [("La clase empieza a las 18.", "La clase empieza ahora a las 19.", FACT)],
    "Dutch": [
        ("De contributie is 60 euro.", "De contributie is nu 75 euro.", FACT),
        ("Wij gebruiken Gradle.", "Wij gebruiken Bazel in plaats van Gradle.", DECISION),
    ],
    "Polish": [
        ("Bilet kosztuje 4 zł.", "Od lutego bilet kosztuje 5 zł.", FACT),
        ("Używamy Jenkinsa.", "Używamy teraz GitLaba zamiast Jenkinsa.", DECISION),
    ],
}


@pytest.mark.parametrize(
    ("older", "newer", "memory_type"),
    [pytest.param(*case, id=f"{wording}: {case[1][:24]}") for wording, cases in NEWER.items() for case in cases],
)
def test_a_new_value_is_seen_however_it_is_worded(older: str, newer: str, memory_type: MemoryType) -> None:
    assert relation(older, newer, memory_type) is Relation.NEWER_VALUE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The pier is shut because of ice.", "The pier is shut because of the regatta."),
        ("The ticket costs 9 EUR.", "Members pay less, the ticket costs 5 EUR."),
        ("The ticket costs 9 EUR.", "The ticket costs 5 EUR, if we go together."),
        ("The ticket costs 9 EUR.", "The ticket costs 5 EUR, Tom thinks."),
        ("The gate closes at 18:00.", "When the choir sings, the gate closes at 22:00."),
        ("The check-up is on Thursday.", "Anna moved her check-up to Friday."),
        ("Our basic plan costs 19 dollars.", "Larkdesk raised the basic plan to 25 dollars."),
        ("Die Dosis beträgt 5 mg.", "Der Arzt hat Papas Dosis auf 10 mg erhöht."),
        ("The demo is booked for Tuesday.", "The sales team moved the kickoff to Friday."),
        ("Olga leads the survey group.", "Marek leads the drone group now."),
        ("Olga leads the survey group.", "Marek now leads a survey group."),
        ("We use Redis for sessions.", "We swapped Redis for Valkey in the queue."),
        ("Die Frist beträgt 5 Tage.", "Die Frist würde auf 9 Tage verlängert."),
        ("The oven is at 230 °C.", "Suppose the oven is at 250 °C."),
        ("The club has 40 members.", "New members: 12."),
        ("La cena es a las 8.", "La comida es a las 2."),
        ("La mesa es para 4 personas.", "La mesa es a las 8."),
        ("De winkel sluit om 18:00.", "Op zondag sluit de winkel om 17:00."),
        ("De huur is 900 euro.", "De huur is misschien 950 euro."),
        ("Bilet kosztuje 4 zł.", "Bilet dla studentów kosztuje 2 zł."),
        ("Bilet kosztuje 4 zł.", "Czy bilet kosztuje 5 zł?"),
        ("Ben knows Gwen.", "Gwen knows Ben."),
        ("Dan helps Iris.", "Iris helps Dan."),
        ("Dan helps Iris.", "Al helps Iris."),
        ("Hem helps Iris.", "Dan helps Iris."),
        ("Van likes tea.", "Per likes tea."),
    ],
)
def test_what_only_sounds_like_a_new_value_takes_over_nothing(older: str, newer: str) -> None:
    assert relation(older, newer) not in TAKES_OVER
    assert relation(newer, older) not in TAKES_OVER
