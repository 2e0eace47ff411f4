"""NumPy and the Gantry tomography toolbox.

    vol = gantry.read("vol")                     # an Array over np.memmap, in Fortran order, trailing dims of 1 dropped
    vol.header.spacing                           # and .origin .quantity .unit .history
    rec = gantry.run("wls -i 30", "geom", proj, like="vol")
    gantry.write("rec2", 2 * rec, quantity="attenuation", unit="1/mm")

An Array is an ndarray that passes its header on: run() and write() see spacing, origin, quantity, unit and history. Its element
[i, j, k] is element (i, j, k) of the file: (x, y, z) of a volume, (u, v, view) of projections.
"""

from .array import Array
from .command import find_command, run
from .files import read, read_header, write
from .geometry import geometry
from .header import GantryError, GantryWarning, Header

__all__ = ["Array", "GantryError", "GantryWarning", "Header", "find_command", "geometry", "read", "read_header", "run", "write"]
__version__ = "0.1.0"
