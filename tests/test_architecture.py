"""The structure of the package: the direction of imports, and the size of modules and folders."""

import ast
import re
from pathlib import Path

import pytest

import noctule

PACKAGE = Path(noctule.__file__).parent
LAYERS = """
files, extras, processes, entry_points, display < core < missions < path, timing < worlds
< graphs < queues < algorithms < plugins < engines, sipp < registry < registration, planning
< verification, flight < testing, pictures, benchmarking, fleet < game < studies, viewer
< commands < cli
"""
RANK = {
    layer.strip(): rank
    for rank, layers in enumerate(LAYERS.split("<"))
    for layer in layers.split(",")
}
FREE = ("__init__.py", "__main__.py")  # of the root: they show and start everything
MOST_LINES = 300
MOST_MODULES = 15  # in a folder, besides __init__.py

MODULES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = sorted({path.parent for path in MODULES})


def name(path):
    return path.relative_to(PACKAGE).as_posix()


def layer(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path, tree):
    """Yield (line, layer) of every import from the package; those for type checking, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name(path)}:{node.lineno}: relative import"
            module = node.module or ""
            named = [f"noctule.{alias.name}" for alias in node.names if alias.name != "__version__"]
            modules = named if module == "noctule" else [module]
        else:
            continue
        for module in modules:
            first, *rest = module.split(".")
            if first == "noctule" and rest:
                yield node.lineno, rest[0]


def upward_imports(path):
    """Return an error for every import of `path` from a higher layer."""
    source = layer(path)
    errors = []
    for line, target in imported(path, ast.parse(path.read_text())):
        if name(path) == "algorithms/__init__.py" and target == "registry":
            continue  # the package is callable and lists the algorithms
        if target not in RANK:
            errors.append(f"{name(path)}:{line}: {target} is in no layer")
        elif RANK[target] > RANK[source]:
            errors.append(f"{name(path)}:{line}: {source} imports {target}, a higher layer")
    return errors


@pytest.mark.parametrize("path", [p for p in MODULES if name(p) not in FREE], ids=name)
def test_imports_go_down(path):
    assert layer(path) in RANK, f"{name(path)} is in no layer"
    assert not (errors := upward_imports(path)), "\n".join(errors)


def test_layers_of_the_same_rank_import_one_another_in_one_direction():
    pairs = {
        (layer(path), target): f"{name(path)}:{line}"
        for path in MODULES
        if name(path) not in FREE
        for line, target in imported(path, ast.parse(path.read_text()))
        if target != layer(path) and RANK.get(target) == RANK[layer(path)]
    }
    both = [f"{place}: {a} imports {b}" for (a, b), place in pairs.items() if (b, a) in pairs]
    assert not both, "\n".join(both)


def sections(tree):
    """Return how many lines the sections of docstrings take: parameters, returns, examples ..."""
    documented = ast.ClassDef, ast.FunctionDef
    found = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, documented))
    parts = (re.split(r"\n.*\n-{7,}\n", text, maxsplit=1)[1:] for text in found if text)
    return sum(part.count("\n") + 4 for text in parts for part in text)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_modules_are_short(path):
    source = path.read_text()
    lines = len(source.splitlines())
    if f"noctule.{name(path).removesuffix('.py').replace('/', '.')}" in noctule._HOMES:
        lines -= sections(ast.parse(source))  # what users read of a public name is as long as it is
    assert lines <= MOST_LINES, f"{name(path)} has {lines} lines; at most {MOST_LINES}"


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_folders_are_small(folder):
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= MOST_MODULES, f"{name(folder)} has {len(modules)} modules"


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_packages_say_what_they_hold(folder):
    source = folder / "__init__.py"
    assert source.exists(), f"{name(folder)} has no __init__.py"
    assert ast.get_docstring(ast.parse(source.read_text())), f"{name(source)} has no docstring"


def test_imports_for_type_checking_count():
    code = "if TYPE_CHECKING:\n import noctule.flight.step\ndef f():\n from noctule import cli\n"
    assert list(imported(PACKAGE / "x.py", ast.parse(code))) == [(2, "flight"), (4, "cli")]
