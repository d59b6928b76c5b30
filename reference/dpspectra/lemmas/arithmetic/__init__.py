"""Certified arithmetic: what the program computes, in integers and correctly rounded."""
