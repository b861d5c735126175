from pathlib import Path

import pytest

from threengram.cli.errors import CannotRun
from threengram.cli.options import UpOptions, parse_replicas


def test_replicas_are_given_as_service_and_number() -> None:
    assert parse_replicas(["gateway=2", "api=3"]) == {"gateway": 2, "api": 3}


@pytest.mark.parametrize("text", ["gateway", "gateway=0", "gateway=9", "gateway=x", "postgres=2", "beat=2", "=2"])
def test_replicas_that_cannot_be_are_refused_with_the_text_that_was_given(text: str) -> None:
    with pytest.raises(CannotRun, match=f"^--replicas {text}: "):
        parse_replicas([text])


def test_a_port_base_without_room_for_every_port_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="--port-base has to be between"):
        UpOptions(data_dir=tmp_path, port_base=65_500)


def test_a_ready_file_in_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="--ready-file: there is no directory"):
        UpOptions(data_dir=tmp_path, ready_file=tmp_path / "missing" / "ready.json")


def test_addresses_with_passwords_are_not_in_the_representation(tmp_path: Path) -> None:
    options = UpOptions(data_dir=tmp_path, database_url="postgresql://o:hidden@h/d", redis_url="redis://:hidden@h")
    assert "hidden" not in repr(options)
