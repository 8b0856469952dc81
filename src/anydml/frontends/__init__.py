"""Other ways in: formats and interfaces people already have."""
