"""Write the pages of the reference that are made from the program itself."""

import re
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import noctule
from noctule.cli import COMMANDS, app

# Titles of the groups, by the package in which a name lives; all others are in the last group.
GROUPS = {
    "planning": "Plans",
    "path": "Plans",
    "timing": "Plans",
    "registry": "Plans",
    "verification": "Plans",
    "graphs": "Search graphs",
    "worlds": "Worlds, maps and scenes",
    "flight": "Flights, navigators and fleets",
    "fleet": "Flights, navigators and fleets",
    "pictures": "Pictures",
    "viewer": "Pictures",
    "plugins": "Algorithms and graphs of your own",
    "registration": "Algorithms and graphs of your own",
}
LAST = "Further names"

API = """\
Python
======

All public names of ``noctule``, imported as ``nt`` everywhere in these pages. Lengths are in world
units, angles in degrees and times in seconds, unless a text says otherwise.

"""


def write_generated_pages(folder: Path) -> None:
    """Write the lists of public names and of commands into a folder."""
    page = api_page()
    _write(folder / "api.rst", page)
    for old in (folder / "generated").glob("*.rst"):  # names that are gone
        if f"   {old.stem}\n" not in page:
            old.unlink()
    _write(folder / "command-line.md", command_line_page())


def api_page() -> str:
    """Return a page in reStructuredText with every name of `noctule.__all__`, in groups."""
    groups = defaultdict(list)
    for name in noctule.__all__:
        home = noctule._HOME[name].split(".")[1]
        groups[GROUPS.get(home, LAST)].append(name)
    parts = [API]
    for title in dict.fromkeys([*GROUPS.values(), LAST]):
        if title in groups:
            names = "\n".join(f"   {_address(name)}" for name in groups[title])
            parts.append(
                f"{title}\n{'-' * len(title)}\n\n"
                f".. autosummary::\n   :toctree: generated\n   :nosignatures:\n\n{names}\n\n"
            )
    return "".join(parts)


def _address(name: str) -> str:
    """Return where a public name is documented: its module, if a package has the same name."""
    package = isinstance(getattr(noctule, name), ModuleType)
    return f"{noctule._HOME[name] if package else 'noctule'}.{name}"


def command_line_page() -> str:
    """Return a page in Markdown with the help of each command."""
    parts = [
        "# Command line\n\n`noctule COMMAND --help` prints what this page says. "
        "`noctule --version` prints the version.\n"
    ]
    for name, (_, examples) in COMMANDS.items():
        usage = app[name].generate_docs(output_format="markdown")
        body = usage.partition("\n\n")[2].replace("**Parameters**", "**Options**")
        body = body.replace(f"```console\n{name}", f"```bash\nnoctule {name}")
        body = re.sub(r"\*\[(.*?)\]\*$", _default, body, flags=re.MULTILINE)
        parts.append(f"## noctule {name}\n\n{body}\n\nExamples:\n\n{_block(examples)}\n")
    return "\n".join(parts)


def _default(match: re.Match[str]) -> str:
    """Return the default of an option without emphasis, since names contain stars."""
    return "[" + match[1].replace("*", r"\*") + "]"


def _block(examples: str) -> str:
    """Return the examples of a command: commands as a block, sentences below it."""
    commands, _, rest = examples.partition("\n\n")
    lines = "\n".join(line.removeprefix("  ") for line in commands.splitlines())
    return f"```bash\n{lines}\n```\n\n{rest}\n"


def _write(file: Path, text: str) -> None:
    """Write a file if its content is new, so that an unchanged page is not built again."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
