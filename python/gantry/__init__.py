"""NumPy and the Gantry tomography toolbox.

    vol = gantry.read("vol")                     # np.memmap in Fortran order, trailing dims of 1 dropped
    vol, head = gantry.read("vol", header=True)  # with the header
    head = gantry.read_header("vol")
    gantry.write("vol2", 2 * vol, head)          # or spacing=, origin=, quantity=, unit=
    rec = gantry.run("wls -i 30", "geom", proj, like="vol")

An array's element [i, j, k] is element (i, j, k) of the file: (x, y, z) of a volume, (u, v, view) of projections.
"""

from .command import find_command, run
from .files import read, read_header, write
from .geometry import geometry
from .header import GantryError, Header

__all__ = ["GantryError", "Header", "find_command", "geometry", "read", "read_header", "run", "write"]
__version__ = "0.1.0"
