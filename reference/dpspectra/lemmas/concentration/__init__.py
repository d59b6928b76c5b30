"""How large noise gets."""
