"""What a caller may be told, in the shape of the OpenAI API: messages hold counts and limits, never text."""

from typing import ClassVar


class Refusal(Exception):
    """A request that gets no vectors. `code` is stable; `outcome` is its label in metrics."""

    status: ClassVar[int] = 400
    type: ClassVar[str] = "invalid_request_error"
    code: ClassVar[str] = "invalid_input"
    outcome: ClassVar[str] = "invalid"

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.retry_after_s = retry_after_s


class InvalidInput(Refusal):
    """The request breaks a rule that its sender could know."""


class ContextLengthExceeded(Refusal):
    """A text needs more than one window and the request asked for none."""

    code = "context_length_exceeded"


class UnknownModel(Refusal):
    """This service does not serve that model."""

    status = 404
    code = "model_not_found"


class BodyTooLarge(Refusal):
    """The body exceeds its cap."""

    status = 413
    code = "payload_too_large"


class UnsupportedMediaType(Refusal):
    """The body is not JSON."""

    status = 415
    code = "unsupported_media_type"


class Overloaded(Refusal):
    """Too much is waiting; try again after `retry_after_s`."""

    status = 503
    type = "server_error"
    code = "queue_full"
    outcome = "queue_full"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too much is waiting to be embedded", retry_after_s=retry_after_s)


class Unready(Refusal):
    """The model is not loaded yet, or the service is stopping."""

    status = 503
    type = "server_error"
    code = "unavailable"
    outcome = "error"


class DeadlinePassed(Refusal):
    """The request's own deadline ended before its vectors were made."""

    status = 504
    type = "server_error"
    code = "deadline_exceeded"
    outcome = "deadline"

    def __init__(self) -> None:
        super().__init__("the deadline passed")


class InferenceFailed(Refusal):
    """The model did not produce unit vectors."""

    status = 500
    type = "server_error"
    code = "inference_failed"
    outcome = "error"

    def __init__(self) -> None:
        super().__init__("the model failed")


class GatewayFailed(Refusal):
    """The model is elsewhere, and what is in front of it did not give usable vectors."""

    status = 502
    type = "server_error"
    code = "gateway_failed"
    outcome = "error"
