"""What ends a command with one line instead of a traceback."""


class CannotRun(Exception):
    """A reason in one line that names what to change.

    Exit code 2 says that the caller has to change something, 1 that a part of the product failed.
    """

    def __init__(self, reason: str, *, exit_code: int = 2) -> None:
        super().__init__(reason)
        self.exit_code = exit_code
