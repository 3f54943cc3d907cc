"""Flights, traces and maps in the browser, drawn with viser.

`session` runs flights without a page; `scene_view`, `flight_view` and `search_layers` draw;
`live_page`, `replay_page` and `map_page` are the pages; `export_html` writes a page to a file.
"""
