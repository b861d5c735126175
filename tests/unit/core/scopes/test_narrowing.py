"""The retrieval default: what a read without a scope may see."""

import pytest

from threengram.core.identity.admission import Admission
from threengram.core.scopes.policy import Narrowing, ScopeRequired, narrow
from threengram.core.scopes.resolution import canonical, filed_under
from threengram.schema.enums import RetrievalMode


def admission(mode: RetrievalMode = RetrievalMode.OFF, scope: str | None = None, **names: dict[str, str]) -> Admission:
    return Admission(
        is_suspended=False,
        memory_count=0,
        policy_mode=mode,
        policy_scope=scope,
        aliases=names.get("aliases", {}),
        mappings=names.get("mappings", {}),
        model=None,
    )


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_a_scope_that_the_caller_names_is_taken_as_it_is(mode: RetrievalMode) -> None:
    policy = admission(mode, "work" if mode is RetrievalMode.DEFAULT else None)
    assert narrow(policy, "personal") == Narrowing("personal", applied=None)


def test_without_a_scope_the_mode_decides() -> None:
    assert narrow(admission(RetrievalMode.OFF), None) == Narrowing(None, applied=None)
    assert narrow(admission(RetrievalMode.DEFAULT, "work"), None) == Narrowing("work", applied="work")
    with pytest.raises(ScopeRequired):
        narrow(admission(RetrievalMode.REQUIRE), None)


def test_a_write_goes_to_its_scope_else_to_that_of_its_project_else_to_personal() -> None:
    known = admission(aliases={"job": "work"}, mappings={"atlas": "work"})
    assert canonical(known, "job") == "work"
    assert filed_under(known, "job", "other") == "work"
    assert filed_under(known, "elsewhere", "atlas") == "elsewhere"
    assert filed_under(known, None, "atlas") == "work"
    assert filed_under(known, None, "other") == "personal"


def test_the_last_resort_follows_its_own_renaming() -> None:
    assert filed_under(admission(aliases={"personal": "me"}), None, None) == "me"
