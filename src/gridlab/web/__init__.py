"""The web lab: FastAPI over the library, and the page that shows it; `gridlab serve` starts it."""
