"""Backups of one host: base backups and an archive of the write-ahead log, and the way back to a point in time."""
