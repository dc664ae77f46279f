"""N-tuple networks of 2048 learnt by temporal differences."""
