"""A day's traffic of one tenant, drawn from a seed: what is written when, and what is true of it.

A memory is `about` what it states, as a set of keys. A newer one may take over from an older one only when it states
all that the older one did, so when its keys hold the older one's; what has no keys (an event, minutes of a meeting)
takes over from nothing and is replaced by nothing.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tests.integration.consolidation.day.frames import Frame
from threengram.evals.pairs.prose import SaidClaim

SCOPES = ("personal", "work")
PROJECTS = (None, None, "atlas", "borealis")
GENERAL_TOPICS = ("Notes", "Daily log")
EVENTS = (
    "Visited the clinic with Leo, blood was taken.", "Deployed 2.{n}.0 to production.", "Ran {n} km in the rain.",
    "Termin mit dem Vermieter, {n} Minuten.", "Réunion avec le syndic, {n} personnes.", "会议有{n}人参加了。",
    "Llamada con el proveedor, {n} minutos.", "{n}人で散歩しました。",
)  # fmt: skip
CHORES = ("Put the bins out", "Water the plants", "Rotate the on-call phone", "Blumen gießen", "Sortir les poubelles")


class Act(StrEnum):
    """What a client does."""

    REMEMBER = "remember"
    REVISE = "revise"
    RESOLVE = "resolve"
    IMPORT = "import"


Key = tuple[str, ...]


@dataclass(frozen=True)
class Said:
    """One memory to write, with what is true of it. `denies` is the value that it says does not hold."""

    memory_type: str
    topic: str
    content: str
    scope: str
    project: str | None
    about: frozenset[Key] = frozenset()
    value: str = ""
    denies: str = ""
    claims: tuple[SaidClaim, ...] = ()
    states: bool = True
    """Whether any fact may follow from it, be it labelled or not."""
    recurs: bool = False


@dataclass(frozen=True)
class Deed:
    """Something a client does in a minute of the day; `of` is the place of the deed whose memory it is about."""

    minute: int
    act: Act
    said: Said | None = None
    of: int | None = None


@dataclass
class Diary:
    """What one tenant has said so far; `stated` has the values of each thing, the last one last."""

    source: random.Random
    frames: tuple[Frame, ...]
    deeds: list[Deed] = field(default_factory=list)
    stated: dict[tuple[Frame, str, str, str | None], list[int]] = field(default_factory=dict)


def traffic(
    frames: tuple[Frame, ...], *, languages: tuple[str, ...], writes: int, minutes: int, seed: int
) -> list[Deed]:
    """About `writes` deeds in `minutes`, in their order; some come in bursts within one minute."""
    source = random.Random(seed)
    diary = Diary(source, tuple(frame for frame in frames if frame.lang in languages))
    while len(diary.deeds) < writes:
        burst = source.randrange(5, 15) if source.random() < 0.08 else 1
        for _ in range(burst):
            diary.deeds.extend(_deeds(diary))
    times = sorted(source.randrange(minutes) for _ in range(len(diary.deeds)))
    return [replace(deed, minute=minute) for deed, minute in zip(diary.deeds, _in_bursts(source, times), strict=True)]


def _in_bursts(source: random.Random, times: list[int]) -> Iterator[int]:
    """The times with runs of equal ones: an agent that writes down all it learned at once."""
    left, minute = 0, 0
    for time in times:
        if left:
            left -= 1
        else:
            minute = time
            left = source.randrange(4, 12) if source.random() < 0.05 else 0
        yield minute


def _deeds(diary: Diary) -> list[Deed]:
    act = diary.source.choices(
        (_state, _change, _tell_again, _say_near, _deny, _sibling, _elsewhere, _revise, _resolve, _happen, _recur,
         _minute, _import, _compound),
        (14, 16, 9, 20, 4, 10, 5, 5, 2, 5, 2, 3, 1, 4),
    )[0]  # fmt: skip
    return act(diary)


def _filed(diary: Diary) -> tuple[str, str | None]:
    return diary.source.choice(SCOPES), diary.source.choice(PROJECTS)


def _topic(diary: Diary, frame: Frame) -> str:
    """Mostly the frame's; sometimes one under which anything is filed."""
    return diary.source.choice(GENERAL_TOPICS) if diary.source.random() < 0.2 else frame.topic


def _stating(
    diary: Diary, frame: Frame, who: str, scope: str, project: str | None, value: str, how: str | None = None
) -> Said:
    sentence = how or diary.source.choice(frame.said)
    return Said(
        frame.type, _topic(diary, frame), sentence.format(who=who, v=value), scope, project,
        about=frozenset({_key(frame, who)}), value=value, claims=frame.claims(who, value),
    )  # fmt: skip


def _key(frame: Frame, who: str, *more: str) -> Key:
    return (frame.lang, frame.said[0], who, *more)


def _said(diary: Diary, frame: Frame, who: str, scope: str, project: str | None, said: Said) -> list[Deed]:
    diary.stated.setdefault((frame, who, scope, project), []).append(len(diary.deeds))
    return [Deed(0, Act.REMEMBER, said)]


def _state(diary: Diary) -> list[Deed]:
    """Something, about anything."""
    frame = diary.source.choice(diary.frames)
    who, (scope, project) = diary.source.choice(frame.who), _filed(diary)
    value = frame.draw(diary.source, _values(diary, (frame, who, scope, project)))
    return _said(diary, frame, who, scope, project, _stating(diary, frame, who, scope, project, value))


def _values(diary: Diary, thing: tuple[Frame, str, str, str | None]) -> list[str]:
    return [said.value for place in diary.stated.get(thing, ()) if (said := diary.deeds[place].said) is not None]


def _known(diary: Diary) -> tuple[Frame, str, str, str | None] | None:
    return diary.source.choice(sorted(diary.stated, key=repr)) if diary.stated else None


def _change(diary: Diary) -> list[Deed]:
    """Another value of a known thing, told as if it were new."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, scope, project = thing
    value = frame.draw(diary.source, _values(diary, thing))
    return _said(diary, frame, who, scope, project, _stating(diary, frame, who, scope, project, value))


def _tell_again(diary: Diary) -> list[Deed]:
    """The last value of a known thing once more, in these words or others."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, scope, project = thing
    last = diary.deeds[diary.stated[thing][-1]].said
    assert last is not None
    again = _stating(diary, frame, who, scope, project, last.value)
    shaken = diary.source.choice(
        (again.content, last.content, f"{last.content.rstrip('.。')}!", last.content.rstrip(".。"))
    )
    return _said(diary, frame, who, scope, project, replace(again, content=shaken))


def _say_near(diary: Diary) -> list[Deed]:
    """A plan, a question, a bound, a former time, a part: about a known thing, and no value of it."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, scope, project = thing
    sentence = diary.source.choice(frame.others + frame.hedged)
    value = frame.draw(diary.source, _values(diary, thing))
    said = Said(
        frame.type, _topic(diary, frame), sentence.format(who=who, v=value), scope, project,
        about=frozenset({_key(frame, who, sentence)}), value=value, states=sentence in frame.others,
    )  # fmt: skip
    return [Deed(0, Act.REMEMBER, said)]


def _deny(diary: Diary) -> list[Deed]:
    """That a known thing has a value: that of a memory, or another one."""
    thing = _known(diary)
    if thing is None or not thing[0].denials:
        return _say_near(diary)
    frame, who, scope, project = thing
    value = diary.source.choice([*_values(diary, thing), frame.draw(diary.source, ())])
    sentence = diary.source.choice(frame.denials)
    said = Said(
        frame.type, _topic(diary, frame), sentence.format(who=who, v=value), scope, project,
        about=frozenset({_key(frame, who, sentence, value)}), denies=value, states=False,
    )  # fmt: skip
    return [Deed(0, Act.REMEMBER, said)]


def _sibling(diary: Diary) -> list[Deed]:
    """The same of somebody or something else, perhaps in the very same words."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, scope, project = thing
    other = diary.source.choice([one for one in frame.who if one != who])
    value = diary.source.choice([*_values(diary, thing), frame.draw(diary.source, ())])
    return _said(diary, frame, other, scope, project, _stating(diary, frame, other, scope, project, value))


def _elsewhere(diary: Diary) -> list[Deed]:
    """The same words in another scope or project."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, *_ = thing
    last = diary.deeds[diary.stated[thing][-1]].said
    assert last is not None
    new_scope, new_project = _filed(diary)
    return _said(diary, frame, who, new_scope, new_project, replace(last, scope=new_scope, project=new_project))


def _revise(diary: Diary) -> list[Deed]:
    """A correction through the verb for it."""
    thing = _known(diary)
    if thing is None:
        return _state(diary)
    frame, who, scope, project = thing
    value = frame.draw(diary.source, _values(diary, thing))
    said = _stating(diary, frame, who, scope, project, value)
    of = diary.stated[thing][-1]
    diary.stated[thing].append(len(diary.deeds))
    return [Deed(0, Act.REVISE, said, of)]


def _resolve(diary: Diary) -> list[Deed]:
    """A promise is kept, a blocker is gone."""
    open_ones = [
        place
        for place, deed in enumerate(diary.deeds)
        if deed.act is Act.REMEMBER and deed.said is not None and deed.said.memory_type in ("commitment", "blocker")
    ]
    return [Deed(0, Act.RESOLVE, None, diary.source.choice(open_ones))] if open_ones else _state(diary)


def _happen(diary: Diary) -> list[Deed]:
    scope, project = _filed(diary)
    content = diary.source.choice(EVENTS).format(n=diary.source.randrange(2, 60))
    return [Deed(0, Act.REMEMBER, Said("event", "Log", content, scope, project, states=False))]


def _recur(diary: Diary) -> list[Deed]:
    scope, project = _filed(diary)
    chore = diary.source.choice(CHORES)
    said = Said("commitment", "Chores", f"{chore}.", scope, project, about=frozenset({("chore", chore)}), recurs=True)
    return [Deed(0, Act.REMEMBER, replace(said, states=False))]


def _sentences(diary: Diary, count: int) -> list[tuple[Key, str, tuple[SaidClaim, ...]]]:
    found = []
    for _ in range(count):
        frame = diary.source.choice(diary.frames)
        who = diary.source.choice(frame.who)
        value = frame.draw(diary.source, ())
        content = diary.source.choice(frame.said).format(who=who, v=value)
        found.append((_key(frame, who), content.rstrip(".。") + ".", frame.claims(who, value)))
    return found


def _minute(diary: Diary) -> list[Deed]:
    """Minutes of a meeting: many sentences of which each could stand alone."""
    scope, project = _filed(diary)
    sentences = _sentences(diary, diary.source.randrange(3, 12))
    content = " ".join(text for _, text, _ in sentences)[:1_900]
    return [Deed(0, Act.REMEMBER, Said("note", "Minutes", content, scope, project, states=False))]


def _import(diary: Diary) -> list[Deed]:
    """A document of thousands of characters, told by nobody."""
    content = " ".join(text for _, text, _ in _sentences(diary, diary.source.randrange(100, 900)))
    return [Deed(0, Act.IMPORT, Said("note", "An imported topic", content, "personal", None, states=False))]


def _compound(diary: Diary) -> list[Deed]:
    """Two statements in one memory: it replaces either one, and neither replaces it."""
    scope, project = _filed(diary)
    frame = diary.source.choice([one for one in diary.frames if one.type == "fact"])
    first, second = diary.source.sample(frame.who, 2)
    parts = [_stating(diary, frame, who, scope, project, frame.draw(diary.source, ())) for who in (first, second)]
    content = " ".join(part.content.rstrip(".。!") + "." for part in parts)
    said = replace(
        parts[0],
        content=content,
        about=parts[0].about | parts[1].about,
        value="|".join(part.value for part in parts),
        claims=parts[0].claims + parts[1].claims,
    )
    return [Deed(0, Act.REMEMBER, said)]
