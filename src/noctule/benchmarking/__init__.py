"""Other packages, and how they are compared with this one."""
