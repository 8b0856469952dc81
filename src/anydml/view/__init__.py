"""Pictures of layouts and windows: one description, drawn as text, SVG or an HTML page."""
