"""The JSON of requests and answers, for checking and for the OpenAPI page."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from swapregret.files.storage import Json
from swapregret.serve.problems import Labels, ProblemSpec, check_fields, readable


class _In(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _fields(cls, given: object) -> object:
        check_fields(cls, given)
        return given


_Elements = Annotated[list[str | int | float | Labels], Field(max_length=10_000)]
_OwnId = Annotated[str, Field(min_length=1), AfterValidator(readable)] | Annotated[int, Field(ge=-(2**63), lt=2**63)]


class DecisionsIn(_In):
    """How many decisions to make, and what is to be known of them."""

    count: Annotated[int, Field(ge=1)] = 1
    without: Annotated[
        _Elements | None, Field(description="Elements that are missing today, as `elements` of a decision shows them.")
    ] = None
    available: Annotated[_Elements | None, Field(description="Instead: the elements that are there.")] = None
    context: Annotated[
        _OwnId | None, Field(description="What is known about today, e.g. mobile; a new one may come any day.")
    ] = None
    id: Annotated[
        _OwnId | None, Field(description="An id of your own, which no open decision has; with `count` 1.")
    ] = None

    @model_validator(mode="after")
    def _alone(self) -> "DecisionsIn":
        if self.id is not None and self.count > 1:
            raise ValueError("`id` must come with one decision")
        return self


class RewardIn(_In):
    """What a decision earned (or cost, where the problem has costs)."""

    reward: FiniteFloat | list[FiniteFloat] = Field(
        description="The total with bandit feedback; the chosen elements' rewards, in order, with semi-bandit; all with full."
    )


class Item(_In):
    """A decision of a batch, by its id or yours, with its reward, or skipped."""

    decision: Annotated[str, Field(max_length=60)] | None = None
    id: Annotated[_OwnId | None, Field(description="Instead: the id it was asked for with.")] = None
    reward: FiniteFloat | list[FiniteFloat] | None = None
    skip: bool = False

    @model_validator(mode="after")
    def _one(self) -> "Item":
        if self.skip == (self.reward is not None):
            raise ValueError("an item must have a `reward`, or `skip`: true")
        if (self.decision is None) == (self.id is None):
            raise ValueError("an item must have a `decision` or an `id`")
        return self


class RewardsIn(_In):
    """Rewards and skips of many decisions of one problem."""

    rewards: Annotated[list[Item], Field(min_length=1)]


class Decision(BaseModel):
    """What to do."""

    id: str
    own_id: str | int | None = None
    day: int
    elements: Labels = Field(description="The labels of what was chosen.")
    choice: Labels | Json = Field(description="The same as a ranking, a route, a tree, an allocation.")
    text: str = Field(description="The choice as people read it.")


class DecisionsOut(BaseModel):
    """Decisions, and how likely each element was: the same for all of a batch, since nothing is learnt in between."""

    problem: str
    decisions: list[Decision]
    marginals: dict[str, float]


class Closed(BaseModel):
    """How a decision is closed; ``repeated`` if it was so before."""

    decision: str
    state: str
    repeated: bool = False


class Sentence(BaseModel):
    """What must hold, what came, what to do; these three as one sentence; and where: the field of the request, the endpoint."""

    type: str
    must: str
    came: str
    do: str
    sentence: str
    field: str | None
    endpoint: str


class Fault(BaseModel):
    """An error: what must hold, what came, what to do."""

    error: Sentence


class Result(Closed):
    """What became of one item of a batch."""

    error: Sentence | None = None


class ClosedMany(BaseModel):
    """One result for each item, in order; items that were refused have ``state`` "refused" and an ``error``."""

    n_refused: int
    results: list[Result]


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
    spec: ProblemSpec | None = Field(description="In the list, null where it is long.")
    labels: list[str] | None = None
    n_actions: str | None = None
    marginals: list[float] | None = None
    player: Json | None = None
    n_past: Annotated[
        int, Field(description="Days of its history that count; 0 once they turned out to be of another world.")
    ] = 0
    uplift: Annotated[
        Json | None,
        Field(
            description="With a hold-out: what the learner earns per day beyond the baseline, between `lower` and `upper`."
        ),
    ] = None
    oldest_open: list[Json] | None = None


class Health(BaseModel):
    """Whether the server and its database work."""

    status: str
    version: str
