"""The way to PostgreSQL: units of work bound to one tenant, statements written as SQL, the guard over both locks."""
