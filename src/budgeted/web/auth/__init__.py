"""Who is let in: passwords, tokens, sessions, and where a request may come from."""
