"""Put the pictures of `noctule.draw` into the gallery, as it does with figures of pyplot."""

from sphinx_gallery.scrapers import figure_rst


def picture_scraper(block, block_vars, gallery_conf):
    """Save the pictures that a block of an example has made; return their reStructuredText."""
    done = block_vars.setdefault("pictures_done", [])
    files = []
    for value in list(block_vars["example_globals"].values()):
        if hasattr(value, "_repr_png_") and hasattr(value, "figure") and value not in done:
            done.append(value)
            files.append(next(block_vars["image_path_iterator"]))
            value.save(files[-1])
    return figure_rst(files, gallery_conf["src_dir"])
