"""What holds for every text."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from threengram.core.lexical import MAX_DOCUMENT_TERMS, MAX_QUERY_TERMS, document_terms, query_terms
from threengram.core.lexical.stopwords import STOP_WORDS
from threengram.core.lexical.words import analysis

SCRIPTS = (
    "abcXYZ019_", " \n\t", "._-/\\@:#=&?%+~'$,()", "äßøłæıİÑéŽ", "ЯйёΣςά", "東京のデータ猫々", "한국어검색",
    "ภาษาไทยัิ", "ខ្មែរမြန်", "हिन्दीক্ষ", "عربيّةשָׁ٣", "🚀👍🏽🇩🇪→€", "\u200b\u200d\ufe0f\u0301\u00adﬁ①ｱﾞ",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=st.sampled_from("".join(SCRIPTS)), max_size=120),
    st.lists(st.text(alphabet=st.sampled_from("".join(SCRIPTS)), min_size=1, max_size=8), max_size=20).map(" ".join),
)
# Letters whose upper and lower case are one to one, so that changing the case says nothing else.
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüéñčžяйёюδλω", min_size=1, max_size=12)


@given(TEXTS, TEXTS)
def test_a_text_always_has_the_same_bounded_terms(topic: str, content: str) -> None:
    terms = document_terms(topic, content)
    assert terms == document_terms(topic, content)
    assert len(terms) <= MAX_DOCUMENT_TERMS
    assert [term.key for term in terms] == sorted({term.key for term in terms})
    assert all(-(2**63) <= term.key < 2**63 and 1 <= term.weight <= 32_767 for term in terms)


@given(TEXTS)
def test_a_query_has_distinct_terms_in_numbered_groups(query: str) -> None:
    terms = query_terms(query)
    groups = list(dict.fromkeys(term.group for term in terms))
    assert groups == list(range(len(groups)))
    assert len(groups) <= MAX_QUERY_TERMS
    assert [term.group for term in terms] == sorted(term.group for term in terms)
    assert len({term.key for term in terms}) == len(terms)
    assert all(0 < term.weight <= 1 for term in terms)


@given(TEXTS)
def test_normalisation_forms_have_the_same_terms(text: str) -> None:
    expected = document_terms(text, text)
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        variant = unicodedata.normalize(form, text)
        assert document_terms(variant, variant) == expected
        assert query_terms(variant) == query_terms(text)


@given(st.lists(WORDS, min_size=1, max_size=10))
def test_the_case_of_words_does_not_matter(words: list[str]) -> None:
    text = " ".join(words)
    assert document_terms(text, text) == document_terms(text.upper(), text.title())
    assert query_terms(text) == query_terms(text.upper())


@given(TEXTS)
def test_every_word_of_a_document_finds_it(text: str) -> None:
    held = {term.key for term in document_terms("", text)}
    stop_words = {key for word in STOP_WORDS for key in analysis(word).keys}
    for word in text.split():
        terms = [term for term in query_terms(word) if term.key not in stop_words]
        found = {term.group for term in terms if term.key in held}
        assert found == {term.group for term in terms}


@given(st.lists(WORDS, max_size=12).flatmap(lambda words: st.tuples(st.just(words), st.permutations(words))))
def test_the_order_of_words_does_not_matter(orders: tuple[list[str], list[str]]) -> None:
    first, second = (" ".join(words) for words in orders)
    assert document_terms(first, second) == document_terms(second, first)
    assert {term.key for term in query_terms(first)} == {term.key for term in query_terms(second)}
