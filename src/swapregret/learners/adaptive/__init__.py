"""Best of all worlds: a pool of learners, learned weights, an online swap filter, a guarded floor.

One part a file: ``pool`` (who may advise), ``weights`` (whom to follow), ``vectors`` and ``pairs`` (what was seen after
each recommendation), ``filter`` (what to play instead), ``guard`` (when to stop trusting it), ``master`` (the player).

May touch: everything of ``learners`` but ``presets``.
"""
