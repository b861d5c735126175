"""All models of the process by name, each behind an engine of its own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from threengram.embedder.declarations import Declaration, GatewayDeclaration, HashDeclaration, OnnxDeclaration
from threengram.embedder.engine import Answer, Engine
from threengram.embedder.errors import UnknownModel
from threengram.embedder.gateway import Gateway
from threengram.embedder.gateway_runner import GatewayModel, GatewayRunner
from threengram.embedder.hashing import HashingModel
from threengram.embedder.model import Model, OnnxModel
from threengram.embedder.runner import Lanes
from threengram.embedder.settings import Settings
from threengram.embedder.spec import ModelSpec, bundled, from_directory
from threengram.schema.embedding import EmbeddingRequest


class Engines:
    """The engines of a process; a request goes to the one that it names."""

    def __init__(self, engines: Iterable[Engine]) -> None:
        self._engines: Mapping[str, Engine] = {engine.model.name: engine for engine in engines}

    def __iter__(self) -> Iterator[Engine]:
        return iter(self._engines.values())

    @property
    def names(self) -> Sequence[str]:
        """The served models in the order of their declaration."""
        return tuple(self._engines)

    def start(self) -> None:
        """Begin to take requests."""
        for engine in self:
            engine.start()

    async def stop(self) -> None:
        """End every engine."""
        for engine in self:
            await engine.stop()

    async def check(self) -> None:
        """Raise `Unready` unless every engine can take work."""
        for engine in self:
            await engine.check()

    async def answer(self, request: EmbeddingRequest) -> Answer:
        """The vectors of a request. Raises a `Refusal`; cancelling it takes its windows out of the queue."""
        engine = self._engines.get(request.model)
        if engine is None:
            raise UnknownModel("this service does not have that model; GET /v1/models names those it has")
        return await engine.answer(request)


def load(settings: Settings) -> Engines:
    """The engines of the declared models; a model of this process has run once. Blocks for about a second a model."""
    return Engines(_engine(declaration, settings) for declaration in settings.declared())


def _engine(declaration: Declaration, settings: Settings) -> Engine:
    if isinstance(declaration, GatewayDeclaration):
        gateway = GatewayModel(declaration)
        return Engine(gateway, GatewayRunner(Gateway(declaration, settings), settings), settings)
    model, background = _local(declaration, settings)
    return Engine(model, Lanes(model, background, max_queue_tokens=settings.max_queue_tokens), settings)


def _local(declaration: OnnxDeclaration | HashDeclaration, settings: Settings) -> tuple[Model, Model]:
    if isinstance(declaration, HashDeclaration):
        hashing = HashingModel(declaration.dimensions)
        return hashing, hashing
    foreground = OnnxModel(_spec(declaration), threads=settings.threads)
    # With one thread a run belongs to its calling thread, so backfill needs no copy of the weights to be apart.
    return foreground, foreground if settings.threads == 1 else OnnxModel(_spec(declaration), threads=1)


def _spec(declaration: OnnxDeclaration) -> ModelSpec:
    if declaration.directory is not None:
        return from_directory(declaration.directory)
    assert declaration.name is not None
    return bundled(declaration.name)
