"""Results as they come from a laboratory: files of any shape, and what writing them would do."""
