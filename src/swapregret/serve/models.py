"""The JSON of requests and answers, for checking and for the OpenAPI page."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from swapregret.serve.problems import ProblemSpec


class _In(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class DecisionsIn(_In):
    """How many decisions to make."""

    count: Annotated[int, Field(ge=1)] = 1


class RewardIn(_In):
    """What a decision earned (or cost, where the problem has costs)."""

    reward: FiniteFloat | list[FiniteFloat] = Field(
        description="The total with bandit feedback; the chosen elements' rewards, in order, with semi-bandit; all with full."
    )


class _Item(_In):
    decision: Annotated[str, Field(max_length=60)]
    reward: FiniteFloat | list[FiniteFloat] | None = None
    skip: bool = False

    @model_validator(mode="after")
    def _one(self) -> "_Item":
        if self.skip == (self.reward is not None):
            raise ValueError("an item must have a `reward`, or `skip`: true")
        return self


class RewardsIn(_In):
    """Rewards and skips of many decisions of one problem."""

    rewards: Annotated[list[_Item], Field(min_length=1)]


class _Decision(BaseModel):
    id: str
    day: int
    elements: list[Any]
    choice: str


class DecisionsOut(BaseModel):
    """Decisions, and how likely each element was: the same for all of a batch, since nothing is learnt in between."""

    problem: str
    decisions: list[_Decision]
    marginals: dict[str, float]


class Closed(BaseModel):
    """How a decision is closed; ``repeated`` if it was so before."""

    decision: str
    state: str
    repeated: bool = False


class _Sentence(BaseModel):
    type: str
    must: str
    came: str
    do: str
    sentence: str


class Fault(BaseModel):
    """An error: what must hold, what came, what to do."""

    error: _Sentence


class _Result(Closed):
    error: _Sentence | None = None


class ClosedMany(BaseModel):
    """One result for each item, in order; items that were refused have ``state`` "refused" and an ``error``."""

    n_refused: int
    results: list[_Result]


class Created(BaseModel):
    """A new problem."""

    id: str
    name: str
    state: str
    spec: ProblemSpec


class Archived(BaseModel):
    """A problem that takes no more decisions."""

    id: str
    state: str
    n_open: int


class ProblemOut(BaseModel):
    """A problem and where it stands; what only its learner knows is missing where another process serves it."""

    id: str
    name: str
    state: str
    created: float
    served_by: str | None
    n_decisions: int
    n_rewards: int
    n_defaults: int
    n_skips: int
    n_open: int
    mean_reward: float | None
    spec: ProblemSpec
    labels: list[str] | None = None
    n_actions: str | None = None
    marginals: list[float] | None = None
    player: dict[str, Any] | None = None
    oldest_open: list[dict[str, Any]] | None = None


class Health(BaseModel):
    """Whether the server and its database work."""

    status: str
    version: str
