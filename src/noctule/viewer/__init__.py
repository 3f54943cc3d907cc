"""Flights, traces and maps in the browser; drawn with viser.

`sessions` flies and knows nothing of pages; `stage` and `layers` say what is drawn; `live`,
`replays` and `maps` are the pages; `recordings` writes a page into a file.
"""
