"""Where learners, environments and regrets meet: blocks of days, what is recorded of them, and the result."""
