"""The ground of all rooms: checks of arguments, values in messages, optional imports, memory, the progress bar."""
