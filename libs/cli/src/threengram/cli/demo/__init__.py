"""What `threengram demo` shows: realistic memories, questions in other words, and a walk by the official MCP client."""
