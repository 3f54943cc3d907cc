"""Velocities that avoid bodies and other agents: kernels."""
