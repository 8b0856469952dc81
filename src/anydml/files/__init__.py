"""Files of every front-end: arrays, images and JSON from outside, elements as text, and values compared."""
