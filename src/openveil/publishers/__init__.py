"""Published algorithms; one a file or package."""
