import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from threengram.cli.errors import CannotRun
from threengram.cli.secrets import load, load_or_create


def test_the_secrets_are_made_once(tmp_path: Path) -> None:
    first = load_or_create(tmp_path)
    assert load_or_create(tmp_path) == first
    assert load(tmp_path) == first


def test_only_their_owner_can_read_the_files(tmp_path: Path) -> None:
    load_or_create(tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert modes == {"secrets.json": 0o600, "signing-key.pem": 0o600}


def test_the_signing_key_is_rsa_of_2048_bits(tmp_path: Path) -> None:
    key = load_pem_private_key(load_or_create(tmp_path).signing_key_pem.encode(), password=None)
    assert isinstance(key, RSAPrivateKey)
    assert key.key_size == 2048


def test_a_name_that_an_older_directory_lacks_is_added_and_the_rest_stays(tmp_path: Path) -> None:
    first = load_or_create(tmp_path)
    file = tmp_path / "secrets.json"
    kept = json.loads(file.read_text())
    del kept["cursor_key"]
    file.write_text(json.dumps(kept | {"of_a_later_version": "kept"}))
    second = load_or_create(tmp_path)
    assert second.cursor_key != first.cursor_key
    assert second.owner_password == first.owner_password
    assert json.loads(file.read_text())["of_a_later_version"] == "kept"


def test_no_secret_is_in_the_representation(tmp_path: Path) -> None:
    secrets = load_or_create(tmp_path)
    assert secrets.cursor_key not in repr(secrets)


def test_loading_what_was_never_made_points_to_up(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="run `threengram up` first"):
        load(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{")
    with pytest.raises(CannotRun, match=r"secrets\.json"):
        load_or_create(tmp_path)
