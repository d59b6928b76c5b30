"""How a mechanism is called: in this process, in workers, or as a program in another language."""
