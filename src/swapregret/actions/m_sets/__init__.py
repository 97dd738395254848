"""Every way to choose m of d items."""
