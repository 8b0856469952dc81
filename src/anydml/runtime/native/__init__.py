"""Machine code made at run time and the threads that run it: whatever computes or moves data builds on this."""
