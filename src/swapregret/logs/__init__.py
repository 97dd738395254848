"""What happened before: logs of anyone's decisions, and what another policy would have earned on them."""
