"""People: passwords, logins and their sessions, what an administrator does with an account."""
