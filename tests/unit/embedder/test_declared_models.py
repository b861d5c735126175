"""What an operator declares is served, or refused before anything starts; a key is never shown."""

import pytest
from pydantic import ValidationError

from threengram.embedder.declarations import GatewayDeclaration, HashDeclaration, OnnxDeclaration
from threengram.embedder.settings import DEFAULT_NAME, Provider, Settings

GATEWAY = {"provider": "openai", "name": "text-model", "dimensions": 8, "url": "https://models.example.test/v1"}


def test_without_a_list_the_short_settings_name_the_one_model() -> None:
    assert Settings().declared() == (OnnxDeclaration(name="all-MiniLM-L6-v2-dynamic-int8"),)
    assert Settings(provider=Provider.HASH).declared() == (HashDeclaration(dimensions=384),)


def test_a_list_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = '[{"provider": "hash", "dimensions": 64}, {"provider": "onnx", "name": "all-MiniLM-L6-v2-int8"}]'
    monkeypatch.setenv("THREENGRAM_EMBEDDER_MODELS", declared)
    assert Settings().declared() == (HashDeclaration(dimensions=64), OnnxDeclaration(name="all-MiniLM-L6-v2-int8"))


@pytest.mark.parametrize(
    "models",
    [
        [{"provider": "hash", "dimensions": 4}],
        [{"provider": "hash", "dimensions": 64}, {"provider": "hash", "dimensions": 64}],
        [{"provider": "onnx"}],
        [{"provider": "onnx", "name": "another"}],
        [{"provider": "onnx", "name": DEFAULT_NAME, "directory": "/model"}],
        [{key: value for key, value in GATEWAY.items() if key != "url"}],
        [{key: value for key, value in GATEWAY.items() if key != "dimensions"}],
        [GATEWAY | {"url": "ftp://models.example.test"}],
        [GATEWAY | {"api_kye": "x"}],
        [{"provider": "magic"}],
    ],
)
def test_what_cannot_be_served_is_refused(models: list[dict[str, object]]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"models": models})


def test_a_key_is_not_shown() -> None:
    settings = Settings.model_validate({"models": [GATEWAY | {"api_key": "a-secret"}]})
    (declared,) = settings.declared()
    assert isinstance(declared, GatewayDeclaration)
    assert "a-secret" not in f"{settings!r} {declared} {settings.model_dump_json()}"
