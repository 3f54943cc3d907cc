"""Paths as missions: files for autopilots, ground stations, ROS, maps and viewers."""
