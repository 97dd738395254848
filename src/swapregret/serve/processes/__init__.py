"""Problems in processes of their own, so that none of them is in another's way.

``nursery`` is a process that has loaded the code and forks the others; ``child`` is what such a process does, and ``jobs`` what
a request asks of it; ``lane`` is a problem as the server sees it: its process, and the requests that wait for it.
"""
