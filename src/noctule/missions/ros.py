"""ROS 2: nav_msgs/msg/Path in an MCAP file (through rosbags), and as YAML."""

import tempfile
from pathlib import Path
from typing import Any

from noctule.extras import require
from noctule.files import File, replacing
from noctule.missions.mission import Mission

TOPIC, KIND = "/path", "nav_msgs/msg/Path"
BILLION = 1_000_000_000


def write_mcap(mission: Mission, file: File) -> None:
    """Write a bag of one message on the topic /path."""
    bags = require("rosbags.rosbag2", "ros", "MCAP files")
    types = require("rosbags.typesys", "ros", "MCAP files")
    store = types.get_typestore(types.Stores.ROS2_HUMBLE)
    kinds = store.types

    def header(at: int) -> Any:
        stamp = kinds["builtin_interfaces/msg/Time"](sec=at // BILLION, nanosec=at % BILLION)
        return kinds["std_msgs/msg/Header"](stamp=stamp, frame_id=mission.frame_id)

    poses = []
    for (x, y, z), at in zip(mission.points.tolist(), _stamps(mission), strict=True):
        place = kinds["geometry_msgs/msg/Point"](x=x, y=y, z=z)
        turn = kinds["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0)
        pose = kinds["geometry_msgs/msg/Pose"](position=place, orientation=turn)
        poses.append(kinds["geometry_msgs/msg/PoseStamped"](header=header(at), pose=pose))
    raw = store.serialize_cdr(kinds[KIND](header=header(0), poses=poses), KIND)
    with tempfile.TemporaryDirectory() as folder:
        bag = Path(folder, "bag")
        with bags.Writer(bag, version=9, storage_plugin=bags.StoragePlugin.MCAP) as writer:
            writer.write(writer.add_connection(TOPIC, KIND, typestore=store), 0, raw)
        (written,) = bag.glob("*.mcap")
        with replacing(file) as half:
            half.write_bytes(written.read_bytes())


def _stamps(mission: Mission) -> list[int]:
    if mission.times is None:
        return [0] * len(mission.points)
    return [round(at * BILLION) for at in mission.times.tolist()]


def yaml_file(mission: Mission) -> str:
    """Return a message nav_msgs/msg/Path, as `ros2 topic pub` takes it."""
    lines = ["header:", f"  frame_id: {mission.frame_id}", "poses:"]
    for (x, y, z), at in zip(mission.points.tolist(), _stamps(mission), strict=True):
        stamp = f"stamp: {{sec: {at // BILLION}, nanosec: {at % BILLION}}}"
        lines += [
            f"- header: {{{stamp}, frame_id: {mission.frame_id}}}",
            "  pose:",
            f"    position: {{x: {x!r}, y: {y!r}, z: {z!r}}}",
            "    orientation: {x: 0.0, y: 0.0, z: 0.0, w: 1.0}",
        ]
    return "\n".join(lines) + "\n"
