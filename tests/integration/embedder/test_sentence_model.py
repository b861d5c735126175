"""The bundled model and models from a directory, without the network."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as FastTokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

import threengram.embedder
from threengram.embedder import integer_graph
from threengram.embedder.integer_graph import with_integer_products
from threengram.embedder.model import OnnxModel, Vectors
from threengram.embedder.spec import DYNAMIC_NAME, STATIC_NAME, InvalidModelDirectory, Pooling, bundled, from_directory
from threengram.embedder.tokens import VOCABULARY_FILE, DamagedFile, Ids, text_pieces
from threengram.embedder.windows import cut

INTEGER_SHA256 = "0008e341029bdbce3b62c98ce6ae26ab9734bfb6bfb0ba0b895b7c66b876146f"


@pytest.fixture(scope="module", params=[STATIC_NAME, DYNAMIC_NAME])
def either(request: pytest.FixtureRequest) -> OnnxModel:
    return OnnxModel(bundled(request.param), threads=1)


@pytest.fixture(scope="module")
def model() -> OnnxModel:
    return OnnxModel(bundled(), threads=1)


def embed(model: OnnxModel, texts: Sequence[str]) -> Vectors:
    sequences: list[Ids] = []
    for text in texts:
        pieces = text_pieces(model.tokenizer, model.document_prefix, "", text)
        sequences += cut(pieces, model.tokenizer, model.window_pieces, keep=1, max_windows=1).pieces
    return model.embed(sequences)


@pytest.mark.parametrize(
    ("text", "paraphrase", "unrelated"),
    [
        (
            "The release broke because a migration was missing",
            "A deploy lacked its schema change",
            "I like jam",
        ),
        ("How do I reset my password?", "I forgot my login credentials", "The train to Bern leaves at nine"),
        ("We chose PostgreSQL for billing", "The invoices are stored in Postgres", "Mia's birthday is in May"),
    ],
)
def test_a_paraphrase_is_nearer_than_something_else(
    either: OnnxModel, text: str, paraphrase: str, unrelated: str
) -> None:
    vectors = embed(either, [text, paraphrase, unrelated])
    near, far = vectors[1:] @ vectors[0]
    assert near > far + 0.2


def test_vectors_have_length_one_and_the_dimensions_of_the_model(either: OnnxModel) -> None:
    vectors = embed(either, ["short", "🙂", "\u200b", "漢字 " * 100, "word " * 1_000])
    assert vectors.shape == (5, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-5)


def test_a_vector_does_not_depend_on_what_runs_beside_it(either: OnnxModel) -> None:
    texts = ["we use postgres", "the office is in Berlin and has a garden", "no", "word " * 100]
    alone = np.concatenate([embed(either, [text]) for text in texts])
    together = embed(either, texts)
    assert np.einsum("ij,ij->i", alone, together) == pytest.approx(np.ones(4), abs=1e-3)


def test_integer_products_give_nearly_the_vectors_of_the_float_ones(model: OnnxModel) -> None:
    texts = ["we use postgres", "the ferry leaves at noon, from the other pier", "naïve café", "word " * 60]
    integer = OnnxModel(bundled(DYNAMIC_NAME), threads=1)
    assert np.einsum("ij,ij->i", embed(model, texts), embed(integer, texts)).min() > 0.995


def test_integer_products_are_made_the_same_every_time() -> None:
    made = bundled(DYNAMIC_NAME).graph()
    assert made == bundled(DYNAMIC_NAME).graph()
    assert hashlib.sha256(made).hexdigest() == INTEGER_SHA256
    with pytest.raises(ValueError, match="no product"):
        with_integer_products(made)


def test_shorter_attention_gives_the_same_vectors_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["we use postgres", "no", "the ferry leaves at noon, from the other pier", "漢字 " * 20, "word " * 100]
    shorter = bundled(DYNAMIC_NAME).graph()
    vectors = embed(OnnxModel(bundled(DYNAMIC_NAME), threads=1), texts)
    monkeypatch.setattr(integer_graph, "in_fewer_nodes", lambda nodes: nodes)
    assert len(bundled(DYNAMIC_NAME).graph()) > len(shorter)
    assert (vectors == embed(OnnxModel(bundled(DYNAMIC_NAME), threads=1), texts)).all()


def test_onnxruntime_writes_nothing_below_home(tmp_path: Path) -> None:
    script = (
        "from threengram.embedder.model import OnnxModel; from threengram.embedder.spec import bundled;"
        " OnnxModel(bundled(), threads=1)"
    )
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-P", "-c", script], env=environment, check=True, timeout=60)
    assert [*tmp_path.rglob("*")] == []


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "model.onnx"
    damaged.write_bytes(bundled().model_file.read_bytes() + b"\0")
    with pytest.raises(DamagedFile):
        OnnxModel(replace(bundled(), model_file=damaged), threads=1)


def model_directory(directory: Path) -> Path:
    """The bundled model as sentence-transformers would lay it out, tokenizer cutting at 128 pieces included."""
    (vocabulary_file,) = (Path(root) / "data" / VOCABULARY_FILE for root in threengram.embedder.__path__)
    vocabulary = {piece: number for number, piece in enumerate(vocabulary_file.read_text().splitlines())}
    tokenizer = FastTokenizer(WordPiece(vocabulary, unk_token=vocabulary_unknown(vocabulary)))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding(length=128)
    tokenizer.save(str(directory / "tokenizer.json"))
    (directory / "onnx").mkdir()
    (directory / "onnx" / "model.onnx").write_bytes(bundled().model_file.read_bytes())
    (directory / "1_Pooling").mkdir()
    pooling = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    (directory / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    (directory / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 128}))
    (directory / "config.json").write_text(json.dumps({"pad_token_id": 0, "hidden_size": 384}))
    return directory


def vocabulary_unknown(vocabulary: dict[str, int]) -> str:
    """The piece for what has no piece."""
    return next(piece for piece, number in vocabulary.items() if number == 100)


def test_a_directory_of_sentence_transformers_gives_the_same_vectors(model: OnnxModel, tmp_path: Path) -> None:
    spec = from_directory(model_directory(tmp_path))
    other = OnnxModel(spec, threads=1)
    texts = ["we use postgres", "word " * 200]
    assert (spec.pooling, spec.window_pieces, other.dimensions) == (Pooling.MEAN, 128, 384)
    np.testing.assert_array_equal(embed(other, texts), embed(model, texts))


def test_a_manifest_says_pooling_and_prefixes(model: OnnxModel, tmp_path: Path) -> None:
    manifest = {
        "name": "mine",
        "model_file": "onnx/model.onnx",
        "pooling": "cls",
        "document_prefix": "passage: ",
        "window_pieces": 128,
    }
    (model_directory(tmp_path) / "threengram-model.json").write_text(json.dumps(manifest))
    other = OnnxModel(from_directory(tmp_path), threads=1)
    assert (other.name, other.window_pieces) == ("mine", 128)
    (mine,), (bare,) = embed(other, ["we use postgres"]), embed(model, ["passage: we use postgres"])
    assert float(mine @ bare) < 0.999


@pytest.mark.parametrize("missing", ["tokenizer.json", "onnx/model.onnx", "1_Pooling/config.json", "config.json"])
def test_an_incomplete_directory_is_refused(tmp_path: Path, missing: str) -> None:
    (model_directory(tmp_path) / missing).unlink()
    with pytest.raises(InvalidModelDirectory):
        from_directory(tmp_path)
