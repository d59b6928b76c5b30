"""Output for people: files, pages and plots."""
