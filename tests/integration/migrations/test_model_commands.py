"""The steps of a change of model, as an operator of containers takes them."""

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from threengram.migrations.__main__ import main
from threengram.migrations.generations import ensure_model
from threengram.migrations.run import upgrade

CALIBRATION = {"similarity": 1, "share": 1.5, "lift": 1, "words": 0.1, "bias": -1, "threshold": 0.5}
Model = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def model(empty_database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Model:
    upgrade(empty_database, runtime_password="runtime-secret")
    ensure_model(empty_database, name="hash-384", dimensions=384)
    monkeypatch.setenv("THREENGRAM_MIGRATIONS_OWNER_URL", empty_database)

    def model(*arguments: str, given: str = "") -> tuple[int, list[dict[str, Any]]]:
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        code = main(["model", *arguments])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return model


def test_a_generation_is_added_activated_despite_its_obstacles_and_retired(model: Model) -> None:
    code, (added,) = model("add", "hash-64", "--dimensions", "64")
    assert (code, added["state"], added["obstacles"]) == (0, "building", ["unindexed", "uncalibrated"])
    assert main(["index"]) == 0
    code, (*_, refused) = model("activate", "hash-64")
    assert (code, refused["event"], refused["reason"]) == (1, "refused", "uncalibrated")
    code, (calibrated,) = model("calibrate", "hash-64", given=json.dumps(CALIBRATION))
    assert (code, calibrated["obstacles"]) == (0, [])
    assert model("activate", "hash-64")[0] == 0
    code, status = model("status")
    assert [(one["model"], one["state"]) for one in status] == [("hash-384", "building"), ("hash-64", "active")]
    assert model("activate", "hash-384", "--force", "uncalibrated")[0] == 0
    code, (retired,) = model("retire", "hash-64")
    assert (code, retired["state"], retired["indexed_partitions"]) == (0, "retired", 0)


def test_what_cannot_be_done_is_one_line(model: Model) -> None:
    refused = {
        ("retire", "hash-384"): "",
        ("retire", "unknown"): "",
        ("add", "hash-384", "--dimensions", "64"): "",
        ("calibrate", "hash-384"): "no JSON",
    }
    for arguments, given in refused.items():
        code, (line,) = model(*arguments, given=given)
        assert (code, line["event"]) == (1, "refused")
    for wrong in (CALIBRATION | {"bias": "much"}, {"bias": 1}):
        code, (line,) = model("calibrate", "hash-384", given=json.dumps(wrong))
        assert (code, line["event"]) == (1, "refused")
