"""Erasure: an account is shut at once, and a job redacts every word of it; rows keep their identity.

The runtime role can change no word. What can is one function of a role without a login, for the bound tenant only, and
only once it is marked as erased.
"""

from threengram.core.erasure.erase import erase
from threengram.core.erasure.request import Requested, request_erasure

__all__ = ["Requested", "erase", "request_erasure"]
