"""Export: everything that an account holds, of one snapshot, in pages of bounded size."""

from threengram.core.export.export import export
from threengram.core.export.left_out import LEFT_OUT
from threengram.core.export.sections import SECTIONS, Section

__all__ = ["LEFT_OUT", "SECTIONS", "Section", "export"]
