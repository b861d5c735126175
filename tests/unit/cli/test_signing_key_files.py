"""The files of the signing keys, while one replaces the other."""

from pathlib import Path

from threengram.cli.secrets import load_or_create
from threengram.cli.signing_key_files import SigningKeyFiles


def test_a_successor_is_made_once_and_then_takes_the_place_of_the_key(tmp_path: Path) -> None:
    old = load_or_create(tmp_path).signing_key_pem
    files = SigningKeyFiles(tmp_path)
    assert files.all() == old
    new = files.successor()
    assert files.successor() == new != old
    assert files.all() == old + new
    files.promote()
    assert files.all() == load_or_create(tmp_path).signing_key_pem == new
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
