"""The authorization server's rules: clients, consent, codes, families of tokens, keys.

The protocol is OAuth 2.1 with RFC 7009, 7591, 8414, 8707 and 9207; its errors are those of Authlib, and a transport
turns them into answers. What a person consented to is a grant, one for each client; all tokens that come from one
authorization code are a family, which a replay ends as a whole.
"""
