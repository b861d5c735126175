"""Claims in prose: few and right, with the unit in the predicate."""

import pytest

from threengram.core.consolidation.claims import claims_in
from threengram.schema.bounds import MAX_FACTS_PER_WRITE


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The checkout timeout is 45 seconds.", ("checkout timeout", "duration_s", "45")),
        ("The gym membership costs $39 per month.", ("gym membership", "costs_USD_per_month", "39")),
        ("The public API allows 100 requests per minute.", ("public API", "requests_per_min", "100")),
        ("The API listens on port 8080.", ("API", "port", "8080")),
        ("The production cluster is on Kubernetes 1.29.", ("production cluster", "kubernetes", "1.29")),
        ("The hotel is rated 4.5/5.", ("hotel", "rating_of_5", "4.5")),
        ("The owner of the billing service is Priya.", ("billing service", "owner", "Priya")),
        ("The marathon is on 12 October 2025.", ("marathon", "date", "2025-10-12")),
        ("Search has a p50 latency of 30 ms.", ("Search", "p50_latency_ms", "30")),
        ("Leo is 9 years old.", ("Leo", "age_year", "9")),
        (
            "The marketing budget was raised to 4,500 USD per month.",
            ("marketing budget", "amount_USD_per_month", "4500"),
        ),
        ("Der Strompreis liegt bei 28 Cent pro kWh.", ("Strompreis", "liegt_ct_per_kWh", "28")),
        ("L'abonnement coûte 35 euros par mois.", ("abonnement", "coûte_EUR_per_month", "35")),
        ("El internet cuesta 42 euros al mes.", ("internet", "cuesta_EUR_per_month", "42")),
        ("水槽の深さは100cmです。", ("水槽", "深さ_cm", "100")),
    ],
)
def test_a_measured_claim_is_found(text: str, claim: tuple[str, str, str]) -> None:
    assert [(one.subject, one.predicate, one.value) for one in claims_in(claim[0], text)] == [claim]


@pytest.mark.parametrize(
    "text",
    [
        "The pool is not 25 m long.",
        "We ran 8 km in the park.",
        "The plan costs 9 EUR or 12 EUR.",
        "The price went up from 9 USD to 12 USD.",
        "Nobody knows.",
        "Likes ramen.",
        "Marta's friend is Ben.",
        "Аренда стоит 45000 рублей в месяц.",
    ],
)
def test_what_is_denied_past_or_undecided_is_no_claim(text: str) -> None:
    assert claims_in("a topic", text) == []


def test_a_bare_noun_is_told_from_others_by_the_topic() -> None:
    (claim,) = claims_in("Checkout", "The limit is 30 s.")
    assert (claim.subject, claim.predicate, claim.value) == ("Checkout: limit", "duration_s", "30")


def test_two_values_for_one_series_are_none() -> None:
    assert claims_in("a topic", "The gym costs 39 EUR. The gym costs 45 EUR.") == []


def test_there_are_never_more_than_one_write_takes() -> None:
    text = ". ".join(f"Shelf{number} has {number} books" for number in range(2, 40))
    assert len(claims_in("a topic", text)) == MAX_FACTS_PER_WRITE


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The tagger reaches 88% precision on the dev set.", ("Tagging: tagger", "precision_on_dev_set_%", "88")),
        ("Economy shipping takes 6 to 9 days.", ("Economy shipping", "takes_d", "6-9")),
        ("Correction: Mrs Brook takes 10 mg of bisoprolol a day.", ("Mrs Brook", "bisoprolol_mg_per_d", "10")),
        ("El equipo de ventas tiene 9 portátiles.", ("equipo de ventas", "portátiles", "9")),
    ],
)
def test_a_claim_keeps_what_tells_it_from_others(text: str, claim: tuple[str, str, str]) -> None:
    assert [(one.subject, one.predicate, one.value) for one in claims_in("Tagging", text)] == [claim]


@pytest.mark.parametrize(
    "text",
    [
        "The depot would have 7 drivers if the board agreed.",
        "The choir needs 30 singers for the requiem.",
        "The new mast is 4 m taller than the old one.",
        "Most of the guests are over 18.",
        "Die Anfahrt ist knapp 30 km lang.",
        "Die Brücke ist 3 m breiter als die alte.",
        "Le bus part 10 minutes plus tard le samedi.",
        "The proxy needs at least 4 GB of memory.",
        "Is the lease 700 EUR a month?",
        "Il canone era di 250 euro.",
        "来年は倉庫が3つになる予定です。",
        "如果续签，租金是4000元。",
    ],
)
def test_what_is_planned_asked_bounded_or_past_is_no_claim(text: str) -> None:
    assert claims_in("a topic", text) == []


def test_an_article_at_the_head_of_a_second_sentence_is_no_part_of_a_name() -> None:
    text = "A mensalidade da creche é de 320 euros. A mensalidade da escola é de 410 euros."
    found = [(claim.subject, claim.predicate, claim.value) for claim in claims_in("Despesas", text)]
    assert found == [("creche", "mensalidade_EUR", "320"), ("escola", "mensalidade_EUR", "410")]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The fee for the choir is 40 EUR.", ("fee for choir", "amount_EUR", "40")),
        ("Die Luftfeuchte im Keller beträgt 55 %.", ("Luftfeuchte im Keller", "beträgt_%", "55")),
        ("A ferry from Bergen to Stavanger takes 5 hours.", ("ferry from Bergen to Stavanger", "takes_h", "5")),
        ("Our minibus holds 14 people.", ("minibus", "holds_people", "14")),
        ("We agreed that the pantry has 9 shelves.", ("pantry", "shelves", "9")),
        ("The visa of Ada expires on 4 July 2030.", ("visa of Ada", "expires", "2030-07-04")),
        ("The power bank holds 74 Wh.", ("power bank", "holds_Wh", "74")),
        ("Il corso di pittura dura 12 giorni.", ("corso di pittura", "dura_d", "12")),
        ("De heg is 3 m hoog.", ("heg", "hoog_m", "3")),
        ("Bilet wynosi 12 zł.", ("Bilet", "wynosi_PLN", "12")),
    ],
)
def test_a_subject_keeps_the_phrase_that_tells_it_from_others(text: str, claim: tuple[str, str, str]) -> None:
    assert [(one.subject, one.predicate, one.value) for one in claims_in(claim[0], text)] == [claim]


@pytest.mark.parametrize(
    "text",
    [
        "The surgery is at 12 Mill Lane.",
        "Die Praxis ist in der Lindenstraße 14.",
        "Le cabinet est au 5 rue de la Paix.",
        "The estate manager gives 120% on every Monday.",
        "Our goal is a dropout rate of 4%.",
        "Die Prognose liegt bei 400 Besuchern.",
        "Next month the shop gets 4 more tills.",
        "The lease will be 700 EUR.",
        "Suppose the hall is 30 m long.",
        "Angenommen, die Halle ist 30 m lang.",
        "At night the pump uses 3 kW.",
        "The fee went from 9 EUR to 12 EUR.",
        "De contributie is misschien 80 euro.",
        "Naprawa kosztuje chyba 300 zł.",
    ],
)
def test_addresses_goals_and_idioms_are_no_claims(text: str) -> None:
    assert claims_in("a topic", text) == []
