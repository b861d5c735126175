"""What the product does; knows PostgreSQL, and no transport.

Reading order: `errors`, `principal`, `db` (the only way to a connection, the only place that commits), `call` (one
authorised call), then a package per part of the domain: `memories` (write and read single memories), `facts`,
`scopes`, `search` (relevance and chronology), `lexical` (text to terms), `embeddings` (vectors and pending work),
`identity` (tokens, admission, provisioning), `environment` (what the server says about itself). A verb of the product
is a function of that name.
"""
