"""Memory-layout explorer: a simulated Direct3D device that shows where every byte goes."""

__version__ = "0.1.0"
