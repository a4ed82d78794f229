"""Games written in the Game Description Language, compiled and played many at a time.

>>> from propjit import Game, Search
>>> game = Game.named("connectFour")
>>> game.roles
('red', 'yellow')
>>> search = Search(game, seed=1)
>>> search.run(playouts=100_000)
>>> search.report("red").best
'(drop 4)'

`Game` and `State` are single matches, `VectorEnv` is many, for reinforcement learning. There are
adapters in `propjit.pettingzoo`, `propjit.gymnasium` and `propjit.openspiel`.
"""

from ._native import (
    VERSION as __version__,
    BatchSearch,
    Game,
    IllegalMoveError,
    Knowledge,
    LoadError,
    Planes,
    PlayError,
    PropjitError,
    Search,
    State,
    UnknownNameError,
    VectorEnv,
)
from .records import (
    Facts,
    GoalLatch,
    Latch,
    MoveReport,
    Playouts,
    RandomSteps,
    SearchReport,
    Statistics,
    Symmetry,
)

__all__ = [
    "BatchSearch",
    "Facts",
    "Game",
    "GoalLatch",
    "IllegalMoveError",
    "Knowledge",
    "Latch",
    "LoadError",
    "MoveReport",
    "PlayError",
    "Planes",
    "Playouts",
    "PropjitError",
    "RandomSteps",
    "Search",
    "SearchReport",
    "State",
    "Statistics",
    "Symmetry",
    "UnknownNameError",
    "VectorEnv",
    "__version__",
]
