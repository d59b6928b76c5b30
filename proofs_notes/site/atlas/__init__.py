"""The atlas: an offline site of the ledger, with nothing in it that is written by hand twice.

`facts` asks the ledger what it knows and stores it. `book` holds these facts beside the notes. Pages are written from
the book as MyST Markdown, and Sphinx turns them into HTML with the extension `formulas`. `check` reads the result.
"""
