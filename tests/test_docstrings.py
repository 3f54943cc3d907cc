"""Every public function and method says what it takes, what it returns, and shows its use."""

import functools
import inspect
import re
from typing import is_typeddict

import pytest

import noctule as nt
from noctule import registry

SECTIONS = re.compile(r"^(\w+)\n-{3,}\n", re.M)


def sections(text):
    """Return the sections of a docstring in the style of NumPy by their names."""
    first, *rest = SECTIONS.split(text or "")
    return {"Summary": first.strip(), **dict(zip(rest[::2], rest[1::2], strict=True))}


def described(part):
    """Return the names that a section describes."""
    lines = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :.*)?$", part, re.M)
    return {name.lstrip("*") for line in lines for name in line.split(", ")}


def parameters(function):
    if is_typeddict(function):
        return list(function.__annotations__)
    names = inspect.signature(function).parameters
    return [name for name in names if name not in ("self", "cls")]


def returns_nothing(function):
    return inspect.signature(function).return_annotation in (None, "None")


def members(cls):
    """Yield (name, member) of the public members, as the class itself or a base defines them."""
    for name in sorted({name for base in ours(cls) for name in vars(base)}):
        if not name.startswith("_"):
            yield name, next(vars(base)[name] for base in ours(cls) if name in vars(base))


def ours(cls):
    return [base for base in cls.__mro__ if base.__module__.startswith("noctule")]


def texts(cls, name):
    """Yield the docstrings of a method: its own, and of the methods that it overrides."""
    for base in ours(cls):
        member = vars(base).get(name)
        yield from filter(None, [inspect.getdoc(member)] if member is not None else [])


PUBLIC = {name: getattr(nt, name) for name in nt.__all__} | {"algorithms": registry.algorithms}
FUNCTIONS = [name for name, value in PUBLIC.items() if inspect.isfunction(value)]
CLASSES = [name for name, value in PUBLIC.items() if inspect.isclass(value)]
METHODS = [
    (name, member)
    for name in CLASSES
    for member, value in members(getattr(nt, name))
    if callable(value) or isinstance(value, classmethod | staticmethod)
]
PROPERTIES = [
    (name, member)
    for name in CLASSES
    for member, value in members(getattr(nt, name))
    if isinstance(value, property | functools.cached_property)
]


def test_all_names_are_walked():
    assert {*FUNCTIONS, *CLASSES} == set(nt.__all__)
    assert ("Planner", "improve") in METHODS
    assert ("Path", "partial") in PROPERTIES


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    function = PUBLIC[name]
    text = sections(inspect.getdoc(function))
    assert text["Summary"]
    if parameters(function):
        assert described(text["Parameters"]) == set(parameters(function))
        assert ">>> " in text["Examples"]
    assert "Returns" in text or "Yields" in text or returns_nothing(function)


@pytest.mark.parametrize("name", CLASSES)
def test_classes(name):
    cls = getattr(nt, name)
    text = sections(inspect.getdoc(cls))
    assert text["Summary"]
    if issubclass(cls, Exception) or inspect.isabstract(cls) or not parameters(cls):
        return
    fields = described(text.get("Parameters", "")) | described(text.get("Attributes", ""))
    assert not set(parameters(cls)) - fields
    assert ">>> " in text["Examples"]


@pytest.mark.parametrize(("name", "member"), METHODS)
def test_methods(name, member):
    cls = getattr(nt, name)
    method = getattr(cls, member)
    if not parameters(method):
        assert inspect.getdoc(method)
        if not returns_nothing(method):
            has_returns(cls, member)
        return
    parts = [sections(text) for text in texts(cls, member)]
    assert set(parameters(method)) in [described(part.get("Parameters", "")) for part in parts]
    if not returns_nothing(method):
        has_returns(cls, member)
    assert any("Examples" in part for part in [*parts, sections(inspect.getdoc(cls))])


def has_returns(cls, member):
    parts = [sections(text) for text in texts(cls, member)]
    assert any("Returns" in part or "Yields" in part for part in parts)


def test_signatures_are_short():
    """Types are shown by the names that the source has for them, not by what these stand for."""
    unsigned = tuple | dict | Exception
    plain = [value for value in PUBLIC.values() if not issubclass_of(value, unsigned)]
    methods = [getattr(getattr(nt, name), member) for name, member in METHODS]
    for value in [*plain, *methods]:
        assert not re.search(r"\bnumpy[.]", str(inspect.signature(value)))


def issubclass_of(value, classes):
    return inspect.isclass(value) and issubclass(value, classes)


@pytest.mark.parametrize(("name", "member"), PROPERTIES)
def test_properties(name, member):
    assert inspect.getdoc(getattr(getattr(nt, name), member))
