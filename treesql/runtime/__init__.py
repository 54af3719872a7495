"""Around every call: interrupts, limits of time and memory, files written whole, errors of other libraries."""
