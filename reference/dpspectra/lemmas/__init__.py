"""The book: one module per statement (or one tight family), a room per chapter."""
