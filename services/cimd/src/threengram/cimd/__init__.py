"""The `cimd` service, which fetches OAuth client metadata documents."""
