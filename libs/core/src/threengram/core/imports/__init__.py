"""Import: what an export holds, brought into an account, where nothing that is there already is changed."""

from threengram.core.imports.imports import OpenBatch, import_account
from threengram.core.imports.left_out import LEFT_OUT

__all__ = ["LEFT_OUT", "OpenBatch", "import_account"]
