"""Check the internal links of a built site: files, pictures and places in pages exist.

python tools/check_links.py build/docs
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the names of its places."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the links and the name of an element."""
        for key, value in attrs:
            if key in ("id", "name") and value:
                self.places.add(value)
            elif key in ("href", "src") and value and tag != "base":
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """Return a line for each internal link of the pages of a site that leads nowhere."""
    files = (file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts)
    pages = {file: Page(file) for file in files}
    broken = []
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.exists():
                broken.append(f"{file.relative_to(site)}: {link}: no such file")
                continue
            places = pages[target].places if target in pages else {unquote(parts.fragment)}
            if parts.fragment and unquote(parts.fragment) not in places:
                broken.append(f"{file.relative_to(site)}: {link}: no such place")
    return broken


def main() -> int:
    """Print the broken links of a site; return 1 if there are any."""
    site = Path(sys.argv[1]).resolve()
    broken = broken_links(site)
    pages = len(list(site.rglob("*.html")))
    print("\n".join([*broken, f"{len(broken)} broken links in {pages} pages"]))
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
