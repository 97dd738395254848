"""The JSON of requests and answers, for checking and for the OpenAPI page."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from swapregret.files.storage import Json
from swapregret.serve.problems import Checked, Labels, ProblemSpec, Reported, readable


class _In(Checked):
    model_config = ConfigDict(strict=True)


_Elements = Annotated[list[str | int | float | Labels], Field(max_length=10_000, fail_fast=True)]
_OwnId = Annotated[str, Field(min_length=1), AfterValidator(readable)] | Annotated[int, Field(ge=-(2**63), lt=2**63)]


class DecisionsIn(_In):
    """How many decisions to make, and what is to be known of them."""

    count: Annotated[int, Field(ge=1, description="How many.")] = 1
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

    reward: Reported = Field(
        description="The total with bandit feedback; the chosen elements' rewards, in order, with semi-bandit; all with full."
    )


class Item(_In):
    """A decision of a batch, by its id or yours, with its reward, or skipped."""

    decision: Annotated[str | None, Field(max_length=60, description="The `id` that came with it.")] = None
    id: Annotated[_OwnId | None, Field(description="Instead: the id it was asked for with.")] = None
    reward: Annotated[Reported | None, Field(description="What it earned, or cost.")] = None
    skip: Annotated[bool, Field(description="Instead of a reward: it will never be known.")] = False

    @model_validator(mode="after")
    def _one(self) -> "Item":
        if self.skip == (self.reward is not None):
            raise ValueError("an item must have a `reward`, or `skip`: true")
        if (self.decision is None) == (self.id is None):
            raise ValueError("an item must have a `decision` or an `id`")
        return self


class RewardsIn(_In):
    """Rewards and skips of many decisions of one problem."""

    rewards: Annotated[
        list[Item], Field(min_length=1, max_length=100_000, fail_fast=True, description="One entry for each decision.")
    ]


class Decision(BaseModel):
    """What to do."""

    id: str = Field(description="Report the reward under this id.")
    own_id: str | int | None = Field(None, description="The id it was asked for with.")
    day: int = Field(description="How many decisions the problem made before.")
    elements: Labels = Field(description="The labels of what was chosen.")
    choice: Labels | Json = Field(description="The same as a ranking, a route, a tree, an allocation.")
    text: str = Field(description="The choice as people read it.")


class DecisionsOut(BaseModel):
    """Decisions, and how likely each element was: the same for all of a batch, since nothing is learnt in between."""

    problem: str = Field(description="The id of the problem.")
    decisions: list[Decision] = Field(description="As many as `count`.")
    marginals: dict[str, float] = Field(description="By element: how likely it was chosen.")


class Closed(BaseModel):
    """How a decision is closed."""

    decision: str = Field(description="Its id.")
    state: str = Field(description='"reward", "default" (by its deadline) or "skip"; "refused" in a batch.')
    repeated: bool = Field(False, description="Whether it was closed so before.")


class Sentence(BaseModel):
    """What must hold, what came, what to do; and where."""

    type: str = Field(description="The kind of error, for programs.")
    must: str = Field(description="What must hold.")
    came: str = Field(description="What came instead.")
    do: str = Field(description="What to do.")
    sentence: str = Field(description="These three as one text, for people.")
    field: str | None = Field(description="The field of the request that is wrong, where one is.")
    endpoint: str = Field(description="The method and path of the request.")


class Fault(BaseModel):
    """An error."""

    error: Sentence = Field(description="What went wrong.")


class Result(Closed):
    """What became of one item of a batch."""

    error: Sentence | None = Field(None, description="Why it was refused.")


class ClosedMany(BaseModel):
    """One result for each item, in order."""

    n_refused: int = Field(description="How many were refused.")
    results: list[Result] = Field(description="What became of each.")


class _Problem(BaseModel):
    id: str = Field(description="Stands in the paths of requests.")
    state: str = Field(description='"open" or "archived".')


class _Named(_Problem):
    name: str = Field(description="As it was given; the id if none was.")


class Created(_Named):
    """A new problem."""

    spec: ProblemSpec = Field(description="What it was made of, with the seed and preset that were chosen.")


class Archived(_Problem):
    """A problem that takes no more decisions."""

    n_open: int = Field(description="Decisions that may still be rewarded.")


class ProblemOut(_Named):
    """A problem and where it stands; what only its learner knows is missing where another process serves it."""

    created: float = Field(description="Seconds since 1970.")
    served_by: str | None = Field(description='"this process", the address of another one, or null while none does.')
    n_decisions: int = Field(description="Decisions made.")
    n_rewards: int = Field(description="Closed by a reward.")
    n_defaults: int = Field(description="Closed by their deadline.")
    n_skips: int = Field(description="Skipped.")
    n_open: int = Field(description="Waiting for their rewards.")
    mean_reward: float | None = Field(description="Of all that were closed by a reward or their deadline.")
    spec: ProblemSpec | None = Field(description="In the list, null where it is long.")
    labels: list[str] | None = Field(None, description="The elements, in order.")
    n_actions: str | None = Field(None, description="How many choices there are: a whole number, however large.")
    marginals: list[float] | None = Field(None, description="How likely each element is to be chosen next.")
    player: Json | None = Field(None, description="Where the learner stands: its scales, members and guard.")
    n_past: int = Field(0, description="Days of its history that count; 0 once they turned out to be of another world.")
    uplift: Json | None = Field(
        None,
        description="With a hold-out: what the learner earns per day beyond the baseline, between `lower` and `upper`.",
    )
    oldest_open: list[Json] | None = Field(None, description="Decisions that have waited for longest.")


class Health(BaseModel):
    """Whether the server and its database work."""

    status: str = Field(description='"ok"; else the answer is an error.')
    version: str = Field(description="The version of the server.")
