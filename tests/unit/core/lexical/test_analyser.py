"""What a document is found by, seen through the two doors of the analyser."""

import pytest

from threengram.core.lexical import (
    MAX_DOCUMENT_TERMS,
    MAX_QUERY_TERMS,
    QueryTerm,
    Term,
    document_terms,
    query_terms,
)
from threengram.core.lexical.analyser import REFERENCE_LENGTH, TYPICAL_WEIGHT


def keys(text: str) -> set[int]:
    return {term.key for term in document_terms("", text)}


def matched_groups(query: str, text: str) -> set[int]:
    held = keys(text)
    return {term.group for term in query_terms(query) if term.key in held}


def matches_strictly(query: str, text: str) -> bool:
    """Whether the text holds an alternative of every required group, as the all-terms filter of a listing asks."""
    required = {term.group for term in query_terms(query) if term.required}
    return bool(required) and required <= matched_groups(query, text)


def test_the_keys_of_version_one_never_change() -> None:
    """A change of these values, be it by a new stemmer, asks for another `ANALYSER_VERSION` and new postings."""
    assert query_terms("running K8s") == [
        QueryTerm(key=-339162738548374635, group=0, weight=1.0, required=True),
        QueryTerm(key=-2900651628585064594, group=0, weight=1.0, required=True),
        QueryTerm(key=8576604530773202423, group=1, weight=1.0, required=True),
    ]
    assert keys("generously organised universities migrating happily") == {
        -7051228810180668391, -6711596271244961584, -6632178019441512726, -4561921822699583132, -2978889322102050037,
        446057631603218234, 733410465912464870, 4791609982603925686, 8583334199064389571, 8952331056099870505,
    }  # fmt: skip


def test_a_light_word_of_a_query_weighs_half_and_is_still_required() -> None:
    weights = {(term.group, term.weight, term.required) for term in query_terms("getting Szymborski")}
    assert weights == {(0, 0.5, True), (1, 1.0, True)}


def test_a_light_word_of_a_document_weighs_like_any_other() -> None:
    alone, heavy = document_terms("", "getting"), document_terms("", "porcupine")
    assert {term.weight for term in alone} == {term.weight for term in heavy}


def test_terms_are_distinct_and_sorted_and_their_weights_fit_two_bytes() -> None:
    terms = document_terms("alpha beta", "beta gamma " * 1000)
    assert [term.key for term in terms] == sorted({term.key for term in terms})
    assert all(1 <= term.weight <= 2 * TYPICAL_WEIGHT <= 32_767 for term in terms)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("migrate", "We finished the migrations"),
        ("Müller", "muller called"),
        ("strasse", "Straße 5"),
        ("smorrebrod lodz", "smørrebrød in Łódź"),
        ("Istanbul", "İSTANBUL"),
        ("ısparta", "ISPARTA"),
        ("cœur", "coeur"),
        ("елка", "Ёлка"),
        ("ελλας", "ΕΛΛΆΣ"),
        ("العربية", "العَرَبِيّة"),
        ("2026", "٢٠٢٦"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("ＡＢＣ１２３", "abc123"),
        ("データ", "ﾃﾞｰﾀ"),
        ("Anna", "Anna’s laptop"),
        ("email", "e-mail"),
        ("e-mail", "send an email"),
        ("pdf", "two PDFs"),
        ("1000000", "1,000,000 requests"),
    ],
)
def test_a_spelling_finds_its_other_spelling(query: str, text: str) -> None:
    assert matches_strictly(query, text)


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("rolsuper", []),
        ("k8s", []),
        ("v1.4.2", ["1.4.2", "v1"]),
        ("2026-08-02T10:00:00Z", ["2026-08-02", "2026"]),
        ("libs/core/db.py", ["db.py", "core", "py"]),
        ("snake_case_name", ["snake", "name"]),
        ("camelCaseName", ["camel", "name", "camelcasename"]),
        ("handleLogin()", ["login", "handle", "handlelogin"]),
        ("HTTPServer", ["http", "server"]),
        ("PROJ-1234", ["proj", "1234", "proj-1234"]),
        ("user@host.example", ["user", "host.example"]),
        ("::1", ["1"]),
        ("0x1F", ["0x1f"]),
        ("C++", []),
        ("C#", []),
        (".env", ["env"]),
        ("postgres18", ["postgres"]),
        ("std::vector<int>", ["std::vector", "vector", "int"]),
        ("https://example.com/a/guide?x=1#intro", ["example.com", "guide", "intro"]),
    ],
)
def test_an_identifier_is_found_as_written_and_by_its_parts(identifier: str, parts: list[str]) -> None:
    text = f"we looked at {identifier}, again"
    assert [query for query in [identifier, *parts] if not matches_strictly(query, text)] == []


@pytest.mark.parametrize(
    ("query", "text"),
    [("v1.4.2", "v1.4.3 or 1, 4, 2"), ("PROJ-1234", "proj 1234"), ("C++", "C and C#"), ("::1", "1"), ("k8s", "k 8 s")],
)
def test_an_identifier_with_digits_or_signs_matches_strictly_as_a_whole_only(query: str, text: str) -> None:
    assert not matches_strictly(query, text)


def test_a_compound_of_words_matches_strictly_by_its_words() -> None:
    assert matches_strictly("retry-queue", "the queue of every retry")


def test_a_query_word_has_its_stem_and_its_plain_form_in_one_group() -> None:
    terms = query_terms("payments failing")
    assert [term.group for term in terms] == [0, 0, 1, 1]
    assert matched_groups("payments", "one payment") == {0}


def test_words_of_one_stem_are_one_group() -> None:
    assert {term.group for term in query_terms("run running runs")} == {0}


def test_stop_words_of_a_body_are_no_terms() -> None:
    assert keys("this is the one that we don't have") == keys("one")


def test_a_query_of_stop_words_finds_the_topic_that_holds_them() -> None:
    held = {term.key for term in document_terms("The Who", "concert in Leeds")}
    assert {term.key for term in query_terms("the who")} <= held
    assert len(query_terms("the who concert")) == len(query_terms("concert"))


def test_a_document_of_stop_words_keeps_them() -> None:
    assert matches_strictly("to be", "To be, or to do")
    assert matches_strictly("is it", "it is")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京大学で会議", "大学"),
        ("東京 大学で会議", "東京大学"),
        ("東京大学で会議", "東京 大学"),
        ("数据库PostgreSQL的索引", "索引"),
        ("数据库PostgreSQL的索引", "postgresql"),
        ("我的猫很可爱", "猫"),
        ("한국어 검색 기능", "한국어검색"),
        ("한국어검색 기능", "한국어 검색"),
        ("한국어 검색", "검색 한국어"),
        ("책을 읽었다", "책"),
        ("食べるのが好き", "食べる"),
        ("ฉันชอบภาษาไทย", "ภาษา ไทย"),
        ("ຂ້ອຍມັກພາສາລາວ", "ພາສາ"),
        ("ខ្ញុំចូលចិត្តភាសាខ្មែរ", "ភាសាខ្មែរ"),
        ("မြန်မာဘာသာစကား", "ဘာသာ"),
    ],
)
def test_scripts_without_spaces_are_found_inside_a_run(text: str, query: str) -> None:
    assert matches_strictly(query, text)


@pytest.mark.parametrize(
    ("joined", "spaced"), [("東京大学", "東京 大学"), ("한국어검색", "한국어 검색"), ("ภาษาไทย", "ภาษา ไทย")]
)
def test_a_space_between_such_words_changes_no_term(joined: str, spaced: str) -> None:
    assert keys(joined) == keys(spaced)
    assert {(term.key, term.weight) for term in query_terms(joined)} == {
        (term.key, term.weight) for term in query_terms(spaced)
    }


@pytest.mark.parametrize("symbol", ["🚀", "👍🏽", "🇩🇪", "👨‍👩‍👧", "€", "→"])
def test_a_symbol_is_a_term(symbol: str) -> None:
    assert matches_strictly(symbol, f"before{symbol}after 🎉")
    assert not matches_strictly(symbol, "before after 🎉")


def weight_of(word: str, terms: list[Term]) -> int:
    (wanted,) = query_terms(word)
    return next(term.weight for term in terms if term.key == wanted.key)


def test_a_topic_counts_more_than_a_body_and_both_add_up() -> None:
    in_topic = weight_of("zebra", document_terms("zebra", "filler"))
    in_body = weight_of("zebra", document_terms("filler", "zebra"))
    in_both = weight_of("zebra", document_terms("zebra", "zebra filler"))
    assert in_body < in_topic < in_both


def test_a_term_weighs_less_in_a_longer_text() -> None:
    filler = " ".join(f"word{number}" for number in range(300))
    assert weight_of("zebra", document_terms("", f"zebra {filler}")) < weight_of("zebra", document_terms("", "zebra"))


def test_one_occurrence_in_a_text_of_the_reference_length_has_the_typical_weight() -> None:
    filler = " ".join(f"word{number}" for number in range(REFERENCE_LENGTH - 1))
    assert weight_of("zebra", document_terms("", f"zebra {filler}")) == TYPICAL_WEIGHT


def test_a_huge_text_keeps_its_first_terms_and_its_topic() -> None:
    body = " ".join(f"w{number}x" for number in range(40_000))
    terms = document_terms("zebra", body)
    assert len(terms) == MAX_DOCUMENT_TERMS
    assert {term.key for term in query_terms("zebra w0x w4000x")} <= {term.key for term in terms}
    assert len(document_terms("", "漢" + "".join(map(chr, range(0x4E00, 0x9FFF))))) == MAX_DOCUMENT_TERMS


def test_a_long_query_keeps_its_first_groups() -> None:
    terms = query_terms(" ".join(f"w{number}x" for number in range(350)))
    assert terms[-1].group == MAX_QUERY_TERMS - 1
    assert terms[0].key == query_terms("w0x")[0].key


def test_an_overlong_word_is_found_whole_and_by_its_beginning() -> None:
    word = "ab" * 5_000
    assert matches_strictly(word, word)
    assert matches_strictly(word[:128], word)
    assert len(document_terms("", "a." * 100_000)) <= 4


@pytest.mark.parametrize("text", ["", " \n\t", "?!", "...", "\u200b\ufe0f", "\u0301", "-- __ ++"])
def test_a_text_without_words_has_few_terms_and_raises_nothing(text: str) -> None:
    assert len(document_terms(text, text)) <= 1
    assert len(query_terms(text)) <= 1
