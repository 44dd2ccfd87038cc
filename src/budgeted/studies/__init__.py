"""Real studies: what people do to them, the journal of it, and what is folded from that."""
