"""What one memory is to an older one: traps first, since a false supersession costs more than a missed one."""

import pytest

from threengram.core.consolidation.classify import classify
from threengram.core.consolidation.reading.reading import MAX_READ_CHARS
from threengram.core.consolidation.relation import Judgement, Relation, Silence, Statement
from threengram.schema.enums import MemoryType, ProposalRule

FACT, EVENT, NOTE = MemoryType.FACT, MemoryType.EVENT, MemoryType.NOTE
COMMITMENT, DECISION, BLOCKER = MemoryType.COMMITMENT, MemoryType.DECISION, MemoryType.BLOCKER
TAKES_OVER = (Relation.IDENTICAL, Relation.NEWER_VALUE)


def judge(older: str, newer: str, memory_type: MemoryType = FACT, *, topic: str = "Notes") -> Judgement:
    return classify(Statement(memory_type, topic, older), Statement(memory_type, topic, newer))


@pytest.mark.parametrize(
    ("older", "newer", "memory_type"),
    [
        ("The tickets for the Friday show are sold out.", "The tickets for the Saturday show are sold out.", FACT),
        ("The 10 kg bag is in the cellar.", "The 20 kg bag is in the cellar.", FACT),
        ("The 9:00 train is full.", "The 10:00 train is full.", FACT),
        ("Room 12 is booked by sales.", "Room 14 is booked by sales.", FACT),
        ("We use Redis in Atlas.", "We use Redis in Borealis.", DECISION),
        ("We chose red paint for the kitchen.", "We chose red paint for the hall.", DECISION),
        ("A ticket costs 12 EUR.", "A ticket costs 8 EUR for children.", FACT),
        ("Tom reports to Anna.", "Anna reports to Tom.", FACT),
        ("The route goes from Bern to Basel.", "The route goes from Basel to Bern.", FACT),
        ("Ben is in Berlin.", "Anna is now in Berlin.", FACT),
        ("Marta's friend is Anna.", "Marta's friend is Ben.", FACT),
        ("Do not use var in new code.", "Do not use goto in new code.", DECISION),
        ("Waiting for the key from Stripe.", "Waiting for the key from Adyen.", BLOCKER),
        ("Pay the invoice of June.", "Pay the invoice of July.", COMMITMENT),
        ("Send Anna the report by Friday.", "Send Ben the report by Friday.", COMMITMENT),
        ("Search was down for 12 minutes.", "Search was down for 40 minutes.", NOTE),
        ("Width is 80 cm.", "Height is 90 cm.", FACT),
        ("Uptime in March was 99.9 %.", "Uptime in April was 99.5 %.", FACT),
        ("The alert fires when CPU is above 80 %.", "The alert fires when memory is above 90 %.", FACT),
        ("Takes sugar in tea.", "Does not take sugar in coffee.", MemoryType.PREFERENCE),
        ("小王的手机号是13800000000。", "小李的手机号是13900000000。", FACT),
        ("大阪店は10時に開く。", "京都店は9時に開く。", FACT),
    ],
)
def test_a_look_alike_never_takes_over(older: str, newer: str, memory_type: MemoryType) -> None:
    assert judge(older, newer, memory_type).relation not in TAKES_OVER
    assert judge(newer, older, memory_type).relation not in TAKES_OVER


@pytest.mark.parametrize(
    ("older", "newer", "rule"),
    [
        ("The timeout is 20 s.", "The timeout is 45 s.", ProposalRule.VALUE),
        ("Standup is at 9:15.", "Standup is at 10:00.", ProposalRule.INSTANT),
        ("We use npm for the web app.", "We switched from npm to pnpm for the web app.", ProposalRule.RETRACTED),
        ("Ida eats meat.", "Ida no longer eats meat.", ProposalRule.NEGATED),
        ("The owner of billing is Priya.", "The owner of billing is Tom.", ProposalRule.NAME),
        ("The kitchen is painted green.", "The kitchen is painted white.", ProposalRule.WORDS),
        ("Wir nutzen Subversion.", "Wir nutzen Git statt Subversion.", ProposalRule.RETRACTED),
        ("Paul fume.", "Paul ne fume plus.", ProposalRule.NEGATED),
        ("El servidor usa Apache.", "El servidor usa nginx en lugar de Apache.", ProposalRule.RETRACTED),
        ("老王抽烟。", "老王不抽烟了。", ProposalRule.NEGATED),
        ("練習は18時に始まる。", "練習は19時に始まる。", ProposalRule.INSTANT),
    ],
)
def test_a_newer_value_is_seen_with_its_rule(older: str, newer: str, rule: ProposalRule) -> None:
    judged = judge(older, newer)
    assert (judged.relation, judged.rule) == (Relation.NEWER_VALUE, rule)


def test_the_same_in_another_unit_or_order_is_identical() -> None:
    assert judge("The pool is 2.5 m deep.", "The pool is 250 cm deep.").relation is Relation.IDENTICAL
    assert judge("Likes jazz and bossa nova.", "Likes bossa nova and jazz.").relation is Relation.IDENTICAL
    assert judge("On Mondays it is slow here.", "It is slow here on Mondays.").relation is Relation.IDENTICAL


def test_who_says_more_adds() -> None:
    assert judge("The router is in the hallway.", "The router is in the hallway. It is grey.").rule is (
        ProposalRule.MORE_SAID
    )


def test_a_text_that_drops_a_sentence_with_the_value_does_not_take_over() -> None:
    older = "The cluster has 5 nodes. It belongs to the platform team."
    assert judge(older, "The cluster has 8 nodes.").relation not in TAKES_OVER


def test_types_and_projects_have_to_agree() -> None:
    older = Statement(FACT, "Timeout", "The timeout is 20 s.", "atlas")
    newer = Statement(FACT, "Timeout", "The timeout is 45 s.", "borealis")
    assert classify(older, newer).rule is Silence.OTHER_PROJECT
    assert classify(older, Statement(DECISION, "Timeout", newer.content, "atlas")).rule is Silence.OTHER_TYPE
    assert judge("Ran 8 km.", "Ran 8 km.", EVENT).rule is Silence.HAPPENING


def test_topics_that_name_different_things_stand_apart_whatever_the_text_says() -> None:
    older, newer = Statement(FACT, "Atlas", "The deadline is 3 May."), Statement(FACT, "Dune", "The deadline is 3 May.")
    assert classify(older, newer).rule is Silence.OTHER_TOPIC


def test_a_body_that_is_too_long_to_be_one_statement_is_not_judged() -> None:
    body = "word " * (MAX_READ_CHARS // 5) + "and more"
    assert judge(body, body).relation is Relation.UNRELATED


@pytest.mark.parametrize(
    "text", ["", "...", "Since 2020.", "🙂", "12", "не", "\u200b", "a" * 3000, "1." * 500, "の" * 500, "「" * 80]
)
def test_odd_texts_are_judged_without_harm(text: str) -> None:
    other = "The timeout is 45 s."
    for older, newer in ((text, other), (other, text), (text, text + "!")):
        assert judge(older, newer, NOTE, topic=text).relation is not Relation.NEWER_VALUE
        assert classify(Statement(NOTE, "Limit", older), Statement(NOTE, "Limit changed", newer)).relation is not (
            Relation.NEWER_VALUE
        )
