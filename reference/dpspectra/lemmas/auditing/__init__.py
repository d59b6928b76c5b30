"""Why an audit may look when it likes: wealth from betting against a privacy claim."""
