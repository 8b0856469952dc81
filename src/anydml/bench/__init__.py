"""Measurements of anydml beside its peers."""
