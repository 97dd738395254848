"""The decision service: problems over HTTP, durable, with a dashboard (``swapregret serve``, ``docs/service.md``).

A request becomes a job of the writer (``writer``), which changes learners in memory (``live``) and the database (``store``)
together: what was answered is committed. ``api`` has the routes, ``shield`` stands before them, ``app`` puts all together.
"""

__all__: list[str] = []
