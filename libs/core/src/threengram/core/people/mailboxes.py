"""What can be written to."""

from email.errors import MessageError
from email.headerregistry import Address


def is_mailbox(address: str) -> bool:
    """Whether this is one bare address (RFC 5322, section 3.4.1), and neither a list nor a way to smuggle headers."""
    if any(character in address for character in ' ",;:<>()[]\\') or not address.isprintable():
        return False
    try:
        parsed = Address(addr_spec=address)
    except (ValueError, IndexError, MessageError):
        return False
    return bool(parsed.username and parsed.domain)
