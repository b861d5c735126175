"""Mail with a link that lets its reader choose a password: of an account that is there, or of a new one."""
