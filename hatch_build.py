"""Build hook: compile kernels into the wheel.

`python -m build` builds a wheel for this platform and version of Python with the kernels of the
manifest, compiled for a baseline processor. `pip install .` and `uv pip install .` build a wheel
without kernels: their build environment may have another version of Numba than is used later, and
compiling all kernels takes longer than those of the first command.
NOCTULE_KERNELS=1 or 0 overrides the choice.
"""

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILE = """
from noctule.core import kernel_cache, manifest
from noctule.core.preparation import prepare
prepare(*manifest.groups())
missing = manifest.missing(manifest.groups())
if missing:
    files = [entry.file for entry in missing]
    raise SystemExit(f"not compiled: {files}; run tools/record_kernels.py")
"""


def with_kernels() -> bool:
    """Return whether the wheel contains compiled kernels."""
    given = os.environ.get("NOCTULE_KERNELS")
    if given is not None:
        return given not in ("", "0")
    return "PIP_BUILD_TRACKER" not in os.environ and "UV" not in os.environ


def platform_tag() -> str:
    """Return the platform tag of the wheel. Kernels call no library, so any glibc works."""
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return f"manylinux_2_17_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


class KernelHook(BuildHookInterface[Any]):
    """Adds compiled kernels to a wheel."""

    def dependencies(self) -> list[str]:
        """Return the packages that are needed for compiling."""
        return ["numpy", "numba"] if with_kernels() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile all kernels of the manifest into a folder and add it to the wheel."""
        if version == "editable" or not with_kernels():
            return
        source = Path(self.root) / "src"
        sys.path.insert(0, str(source))
        from noctule.core.kernel_cache import BASELINES

        processor, _ = BASELINES[platform.machine().lower()]
        self.folder = tempfile.TemporaryDirectory()
        environment = os.environ | {
            "PYTHONPATH": str(source),
            "NUMBA_CACHE_DIR": self.folder.name,
            "NUMBA_CPU_NAME": processor,
            "NUMBA_CPU_FEATURES": "",
        }
        subprocess.run([sys.executable, "-c", COMPILE], env=environment, check=True)
        python = f"{sys.version_info.major}{sys.version_info.minor}"
        build_data["tag"] = f"cp{python}-none-{platform_tag()}"
        build_data["pure_python"] = False
        build_data["force_include"][f"{self.folder.name}/kernels"] = "noctule/_kernels"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
