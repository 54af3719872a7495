"""Plain texts and transcripts."""
