"""GeoJSON, KML and GPX, for maps."""

import json
import xml.etree.ElementTree as ET

import numpy as np

from noctule.missions.mission import Array, Mission

KML, GPX = "http://www.opengis.net/kml/2.2", "http://www.topografix.com/GPX/1/1"


def geojson_file(mission: Mission) -> str:
    """Return one feature: a line of longitude, latitude, altitude."""
    _, places = mission.on_earth(".geojson")
    line = {"type": "LineString", "coordinates": places[:, [1, 0, 2]].tolist()}
    feature = {"type": "Feature", "geometry": line, "properties": mission.facts}
    return json.dumps({"type": "FeatureCollection", "features": [feature]}) + "\n"


def kml_file(mission: Mission) -> str:
    """Return a line with absolute altitudes."""
    _, places = mission.on_earth(".kml")
    root = ET.Element("kml", xmlns=KML)
    mark = ET.SubElement(ET.SubElement(root, "Document"), "Placemark")
    ET.SubElement(mark, "name").text = "Path"
    line = ET.SubElement(mark, "LineString")
    ET.SubElement(line, "altitudeMode").text = "absolute"
    words = [f"{longitude!r},{latitude!r},{z!r}" for latitude, longitude, z in places.tolist()]
    ET.SubElement(line, "coordinates").text = " ".join(words)
    return _text(root)


def gpx_file(mission: Mission) -> str:
    """Return a route."""
    _, places = mission.on_earth(".gpx")
    root = ET.Element("gpx", xmlns=GPX, version="1.1", creator="noctule")
    route = ET.SubElement(root, "rte")
    for latitude, longitude, z in places.tolist():
        point = ET.SubElement(route, "rtept", lat=repr(latitude), lon=repr(longitude))
        ET.SubElement(point, "ele").text = repr(z)
    return _text(root)


def _text(root: ET.Element) -> str:
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def read_geojson(text: str) -> Array:
    """Return the points of the only line as latitude, longitude, altitude."""
    found = json.loads(text)
    features = found["features"] if found.get("type") == "FeatureCollection" else [found]
    shapes = [feature.get("geometry", feature) for feature in features]
    lines = [shape["coordinates"] for shape in shapes if shape.get("type") == "LineString"]
    if len(lines) != 1:
        raise ValueError(f"{len(lines)} lines, not one")
    return np.array(lines[0], np.float64)[:, [1, 0, 2]]


def read_kml(text: str) -> Array:
    """Return the points of the only line as latitude, longitude, altitude."""
    lines = _parsed(text).findall(f".//{{{KML}}}LineString/{{{KML}}}coordinates")
    if len(lines) != 1:
        raise ValueError(f"{len(lines)} lines, not one")
    rows = [[float(word) for word in row.split(",")] for row in (lines[0].text or "").split()]
    return np.array(rows, np.float64)[:, [1, 0, 2]]


def read_gpx(text: str) -> Array:
    """Return the points of routes and tracks as latitude, longitude, altitude."""
    root, rows = _parsed(text), []
    for point in [*root.iter(f"{{{GPX}}}rtept"), *root.iter(f"{{{GPX}}}trkpt")]:
        height = point.find(f"{{{GPX}}}ele")
        if height is None:
            raise ValueError("a point without an elevation")
        rows.append((point.attrib["lat"], point.attrib["lon"], height.text))
    return np.array(rows, np.float64).reshape(-1, 3)


def _parsed(text: str) -> ET.Element:
    if "<!ENTITY" in text or "<!DOCTYPE" in text:  # could expand without end
        raise ValueError("a document type, which is not read")
    return ET.fromstring(text)
