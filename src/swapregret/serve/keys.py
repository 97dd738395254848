"""API keys: made once and shown once, stored as digests, with a scope, revocable."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence

from sqlalchemy import insert, select, update

from swapregret.counts import check_name
from swapregret.errors import InvalidInput
from swapregret.serve import SCOPES
from swapregret.serve.data.schema import Row, keys
from swapregret.serve.database import Store
from swapregret.serve.refusals import Forbidden, Unauthorised

_PREFIX = "srk"
_FRESH_SECONDS = 1.0


def create_key(store: Store, scope: str, name: str) -> str:
    """Make a key and return it; the database keeps only its digest."""
    check_name(scope, SCOPES, "scope")
    id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)  # 256 bits: a plain digest cannot be guessed back
    store.change(insert(keys).values(id=id, name=name, scope=scope, digest=_digest(secret), created=time.time()))
    return f"{_PREFIX}_{id}_{secret}"


def list_keys(store: Store) -> Sequence[Row]:
    """Return all keys, revoked ones too, oldest first."""
    return store.read(select(keys).order_by(keys.c.created))


def revoke_key(store: Store, id: str) -> None:
    """Make a key useless from now on (within a second, in processes that run)."""
    live = update(keys).where(keys.c.id == id, keys.c.revoked.is_(None))
    if store.change(live.values(revoked=time.time())) != 1:
        raise InvalidInput(
            "`id` must be that of a key that is not revoked", repr(id), "See: swapregret serve key list."
        )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyRing:
    """Checks keys against the database, which is read once a second at most.

    Keys are needed as soon as one was ever made: revoking the last one closes the service, it does not open it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Row] = {}
        self._read_at = -_FRESH_SECONDS

    def _refresh(self) -> None:
        if not self.is_fresh():
            self._known = {row.id: row for row in list_keys(self._store)}
            self._read_at = time.monotonic()

    def are_needed(self) -> bool:
        """Tell whether requests need a key, as far as was read last."""
        return bool(self._known)

    def has_live_key(self) -> bool:
        """Tell whether some key can be used."""
        self._refresh()
        return any(row.revoked is None for row in self._known.values())

    def is_fresh(self) -> bool:
        """Tell whether checking needs no look into the database."""
        return time.monotonic() - self._read_at < _FRESH_SECONDS

    async def allow(self, authorization: str, scope: str) -> str:
        """Do what ``check`` does, and hold nobody up while the database is read."""
        if self.is_fresh():
            return self.check(authorization, scope)
        return await asyncio.to_thread(self.check, authorization, scope)

    def check(self, authorization: str, scope: str) -> str:
        """Return the id of the key of a request, "" where none is needed, or refuse the request."""
        self._refresh()
        if not self._known:
            return ""
        kind, _, token = authorization.partition(" ")
        prefix, _, rest = token.strip().partition("_")
        id, _, secret = rest.partition("_")
        row = self._known.get(id)
        digest = row.digest if row is not None else _digest("")
        is_right = hmac.compare_digest(_digest(secret), digest) and row is not None and row.revoked is None
        if kind.lower() != "bearer" or prefix != _PREFIX or not is_right or row is None:
            raise Unauthorised(
                "a request must have the header `Authorization: Bearer KEY` with a valid key",
                "none" if not authorization else "another",
                "Make a key: swapregret serve key create --scope decide.",
            )
        if SCOPES.index(row.scope) < SCOPES.index(scope):
            raise Forbidden(f"the key must have scope {scope}", f"scope {row.scope}", "Use a key with that scope.")
        return str(row.id)
