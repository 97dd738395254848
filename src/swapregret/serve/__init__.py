"""The decision service: problems over HTTP, durable, with a dashboard (``swapregret serve``, ``docs/service.md``).

A request becomes a job of the writer (``writer``), which changes learners in memory (``live``) and the database (``store``)
together: what was answered is committed. ``api`` has the routes, ``shield`` stands before them, ``app`` puts all together.

May touch: the library, ``experiments`` for sets given as tables. Nothing but the command line imports it.
"""

__all__: list[str] = []
