"""Which passwords are accepted, what matches, and how much hashing there is at once."""

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.contract.web.stack import QUICK
from threengram.core.errors import InvalidRequest, Unavailable
from threengram.core.people.login import normal_email
from threengram.core.people.passwords import PARAMETERS, Match, PasswordHashes, require_acceptable

PASSWORD = "correct horse battery staple"


@pytest.fixture
def hashes() -> Iterator[PasswordHashes]:
    made = PasswordHashes(parameters=QUICK)
    yield made
    made.close()


async def test_a_hash_is_argon2id_with_the_parameters_of_today() -> None:
    hashes = PasswordHashes()
    stored = await hashes.hash(PASSWORD)
    hashes.close()
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert PASSWORD not in stored


async def test_the_right_password_matches_and_no_other(hashes: PasswordHashes) -> None:
    stored = await hashes.hash(PASSWORD)
    assert await hashes.match(stored, PASSWORD) == Match(True)
    for other in ("", PASSWORD + "!", PASSWORD.upper(), "x" * 5000, "\ud800" * 12):
        assert await hashes.match(stored, other) == Match(False)


async def test_texts_that_look_the_same_are_the_same_password(hashes: PasswordHashes) -> None:
    stored = await hashes.hash("Stra\u00dfe nach K\u00f6ln")
    assert (await hashes.match(stored, "Stra\u00dfe nach Ko\u0308ln")).is_right


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "",
        "!",
        "erased",
        PASSWORD,
        "$argon2id$",
        "$argon2id$v=19$m=8,t=1,p=1$nonsense",
        "$argon2i$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$RMhXp8ZyNvQOrzGIFCLJxw",
        "$2b$12$abcdefghijklmnopqrstuv",
    ],
)
async def test_what_is_no_hash_of_ours_matches_nothing(hashes: PasswordHashes, stored: str | None) -> None:
    for password in (PASSWORD, "", "erased"):
        assert await hashes.match(stored, password) == Match(False)


async def test_an_account_that_is_not_there_costs_as_much_as_one_that_is() -> None:
    hashes = PasswordHashes(threads=1, parameters=replace(QUICK, memory_cost=16_384, time_cost=3))
    stored = await hashes.hash(PASSWORD)
    await hashes.match(None, PASSWORD)

    async def best_s(known: str | None) -> float:
        times = []
        for _ in range(3):
            began = time.process_time()
            await hashes.match(known, "not the password")
            times.append(time.process_time() - began)
        return min(times)

    known_s = await best_s(stored)
    for unknown in (None, "erased"):
        assert 0.5 < await best_s(unknown) / known_s < 2
    hashes.close()


async def test_a_hash_of_other_parameters_is_found_out(hashes: PasswordHashes) -> None:
    former = PasswordHashes(parameters=replace(QUICK, time_cost=2))
    stored = await former.hash(PASSWORD)
    former.close()
    assert await hashes.match(stored, PASSWORD) == Match(True, needs_rehash=True)
    assert await hashes.match(stored, "another password") == Match(False)


@pytest.mark.parametrize("password", ["", "eleven char", "x" * 1025, "é" * 513, "\ud800" * 20])
def test_a_password_that_is_too_short_or_too_long_is_refused(password: str) -> None:
    with pytest.raises(InvalidRequest):
        require_acceptable(password)


@pytest.mark.parametrize("password", ["twelve chars", "x" * 1024, "密码密码密码密码密码密码", " " * 12])
def test_any_other_password_is_accepted(password: str) -> None:
    require_acceptable(password)


async def test_hashing_is_bounded_and_leaves_the_loop_free(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = PasswordHashes(threads=2, max_waiting=3, parameters=QUICK)
    go_on, two_at_work, lock, peaks = threading.Event(), threading.Event(), threading.Lock(), [0, 0]

    def slow(_stored: str | None, _encoded: bytes) -> Match:
        with lock:
            peaks[0] += 1
            peaks[1] = max(peaks)
            if peaks[0] == 2:
                two_at_work.set()
        go_on.wait(20)
        with lock:
            peaks[0] -= 1
        return Match(True)

    monkeypatch.setattr(hashes, "_match", slow)
    admitted = [asyncio.create_task(hashes.match(None, PASSWORD)) for _ in range(5)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable):
        await hashes.match(None, PASSWORD)
    assert await asyncio.to_thread(two_at_work.wait, 20)
    go_on.set()
    assert await asyncio.gather(*admitted) == [Match(True)] * 5
    assert peaks == [0, 2]
    assert await hashes.match(None, PASSWORD) == Match(True)
    hashes.close()


def test_the_parameters_are_those_of_the_cheat_sheet() -> None:
    assert (PARAMETERS.memory_cost, PARAMETERS.time_cost, PARAMETERS.parallelism) == (19_456, 2, 1)


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        (" Olga@Example.TEST ", "olga@example.test"),
        ("me@localhost", "me@localhost"),
        ("nobody", ""),
        ("a@" + "b" * 260, ""),
        ("a@b\x00", ""),
        ("a@b\nc", ""),
        ("Olga@EXA\u0308MPLE.test", "olga@ex\u00e4mple.test"),
        ("\u212aim@example.test", "kim@example.test"),
        ("\u0130da@example.test", "i\u0307da@example.test"),
        ("olga@stra\u00dfe.test", "olga@stra\u00dfe.test"),
        ("olga\uff20example.test", ""),
        ("ol\u200bga@example.test", ""),
    ],
)
def test_an_address_has_one_spelling(given: str, normal: str) -> None:
    assert normal_email(given) == normal
