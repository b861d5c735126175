"""What stops a command and is the user's to change, as opposed to a defect of ours."""


class CannotRun(Exception):
    """A reason in one line that names what to change; the command ends with exit code 2 and no traceback."""
