"""One complete file an algorithm, with the procedure names of its paper, over any graph.

May import `core`, `worlds`, `graphs` and `queues`.

`noctule.algorithms` is this package and `noctule.algorithms()` the list of the algorithms: the
import system binds the name to the package, so the package is callable.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noctule.registry import Algorithm


class _CallablePackage(ModuleType):
    def __call__(self) -> "tuple[Algorithm, ...]":
        from noctule.registry import algorithms

        return algorithms()


sys.modules[__name__].__class__ = _CallablePackage
