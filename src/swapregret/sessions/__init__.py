"""The durable loop around a player: sessions, what they are shown, and their files."""
