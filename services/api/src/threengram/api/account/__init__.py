"""Pages about the account itself: what may enter it, its keys, its export, its end."""

from threengram.api.account.pages import AccountPages

__all__ = ["AccountPages"]
