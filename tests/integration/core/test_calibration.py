"""The calibration that a release ships reaches the active model."""

import psycopg
from psycopg.types.json import Jsonb

from threengram.migrations.calibration import shipped_calibration
from threengram.migrations.generations import ensure_model

BUNDLED = "all-MiniLM-L6-v2-int8"


def test_the_bundled_model_is_calibrated_and_an_unknown_one_is_not() -> None:
    shipped = shipped_calibration(BUNDLED)
    assert shipped is not None
    assert set(shipped) == {"bias", "similarity", "share", "lift", "words", "threshold"}
    assert shipped_calibration("hash-384") is None


def test_registering_again_leaves_a_calibration_that_no_release_ships(owner_url: str) -> None:
    with psycopg.connect(owner_url, autocommit=True) as owner:
        ours = {"bias": 0.0}
        owner.execute("UPDATE embedding_models SET calibration = %s WHERE name = 'hash-384'", (Jsonb(ours),))
        try:
            ensure_model(owner_url, name="hash-384", dimensions=384)
            row = owner.execute("SELECT calibration FROM embedding_models WHERE name = 'hash-384'").fetchone()
            assert row == (ours,)
        finally:
            owner.execute("UPDATE embedding_models SET calibration = NULL WHERE name = 'hash-384'")
