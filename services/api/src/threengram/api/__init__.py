"""REST, the authorization server and the web pages: the `api` service."""
