"""Where the gate's data stand."""

from pathlib import Path

DATA = Path(__file__).resolve().parents[4] / "data"
UTTERANCES = DATA / "utterances"
HELD_OUT = DATA / "held-out-utterances.toml"
IN_USERS_WORDS = DATA / "user-utterances.toml"
SNAPSHOT = DATA / "surface.json"
FLOORS = DATA / "surface-floors.toml"
