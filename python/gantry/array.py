"""NumPy arrays that know their header: grid, quantity, unit, detector and history."""

import zlib

import numpy as np

from .header import Header, check, trimmed

BLOCK = 1 << 23  # bytes handled at a time
ELEMENTWISE = (np.zeros_like, np.ones_like, np.full_like, np.where, np.nan_to_num)  # those that are not ufuncs


class Array(np.ndarray):
    """An ndarray with a Header in .header: what read() and run() return, and what run() and write() pass on.

    Array(data, header) or Array(data, spacing=0.4, quantity="attenuation") is a view of data with that header.

    * Views, copies, pickles and np.asarray() of the same elements keep the whole header.
    * Slices and transposes keep quantity and unit; spacing and origin follow them, so that every element stays at its place.
    * Element-wise arithmetic, and assignments to elements, keep the places and drop quantity, unit and history.
    * Anything else (reshape, fancy indexing, sums) has None as its .header.
    A history is written only for exactly the elements that it made, changes through other views included.
    """

    def __new__(cls, data, header=None, **fields):
        array = np.asanyarray(data).view(_Layer).view(cls)
        head = header or Header(dims=_dims(array))
        if np.ndim(fields.get("spacing", ())) == 0:
            fields["spacing"] = (float(fields["spacing"]),) * max(1, array.ndim)
        head = head.changed(dims=_dims(array), history=None, **fields)
        check(head)
        return attach(array, head)

    def __array_finalize__(self, source):
        same = isinstance(source, Array) and source._head is not None and _same_elements(self, source)
        self._head = source._head if same else None
        self._sum = source._sum if same else None

    @property
    def header(self):
        """The Header; None where nothing is known."""
        if self._head is None or self._head.dims != _dims(self):  # NumPy sets shape and type of some views afterwards
            return None
        return self._head if self._head.type == self.dtype.name else _places(self._head, self)

    @header.setter
    def header(self, head):
        attach(self, head and head.changed(history=None))

    # ---- the same elements ----

    def copy(self, order="C"):
        return attach(super().copy(order), self.header, _known_sum(self))

    def __copy__(self):
        return self.copy(order="K")

    def __deepcopy__(self, memo):
        return self.copy(order="K")

    def astype(self, dtype, *args, **kwargs):
        result = super().astype(dtype, *args, **kwargs)
        head = self.header
        if result is self or not isinstance(result, Array) or head is None:
            return result
        if result.dtype == self.dtype:
            return attach(result, head, _known_sum(self))
        holds = np.can_cast(self.dtype, result.dtype, "same_kind")
        return attach(result, head.changed(history=None) if holds else _places(head, result))

    def __reduce__(self):
        function, arguments, state = super().__reduce__()
        return function, arguments, (state, self.header, _known_sum(self))

    def __setstate__(self, state):
        state, self._head, self._sum = state
        super().__setstate__(state)

    # ---- some of the elements, or in another order ----

    def __getitem__(self, index):
        result = super().__getitem__(index)
        if isinstance(result, Array) and result._head is None and self.header is not None:
            items = _full_index(index, self.ndim)
            if items is not None:
                views_only = items[:2] == [slice(None)] * 2 and None not in items
                attach(result, self._part(result, _sliced(self.shape, self._axes(), items), views_only))
        return result

    def transpose(self, *axes):
        result = super().transpose(*axes)
        if self.header is None:
            return result
        given = axes[0] if len(axes) == 1 else axes or None
        order = list(range(self.ndim))[::-1] if given is None else [int(a) % self.ndim for a in np.atleast_1d(given)]
        mine = self._axes()
        if order == sorted(order):
            return attach(result, self.header, self._sum)
        return attach(result, self._part(result, [mine[a] for a in order] + mine[self.ndim:], False))

    @property
    def T(self):
        return self.transpose()

    def swapaxes(self, axis1, axis2):
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.transpose(order)

    def _axes(self):
        """[(step, position of element 0)] in mm, one per axis of the array and per further number in the header."""
        head = self.header
        rank = max(self.ndim, len(head.spacing or ()), len(head.origin or ()))
        return [(head.step(d), head.first(d)) for d in range(rank)]

    def _part(self, result, axes, views_only):
        """Header of some of the elements; views_only: of a geometry, its vectors are whole."""
        head = self.header
        if head.quantity == "geometry" or head.detector:
            kept = {"quantity": head.quantity, "detector": head.detector} if views_only else {}
            return Header(dims=_dims(result), **kept)
        return Header(dims=_dims(result), spacing=tuple(step for step, _ in axes), origin=tuple(first for _, first in axes),
                      quantity=head.quantity, unit=head.unit)

    # ---- other elements at the same places ----

    def __setitem__(self, index, value):
        super().__setitem__(index, value)
        _change(self)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            options["out"] = tuple(_plain(x) for x in out)
        result = getattr(ufunc, method)(*(_plain(x) for x in inputs), **options)
        for x in inputs[:1] if method == "at" else out or ():
            if isinstance(x, Array):
                _change(x)
        results = result if isinstance(result, tuple) else (result,)
        if method == "__call__" and ufunc.signature is None:
            results = [_placed(x, inputs) for x in results]
        final = tuple(x if y is None else y for x, y in zip(results, out or (None,) * len(results)))
        return final if isinstance(result, tuple) else final[0]

    def __array_function__(self, function, types, arguments, options):
        result = super().__array_function__(function, types, arguments, options)
        return _placed(result, arguments) if function in ELEMENTWISE and isinstance(result, np.ndarray) else result


class _Layer(np.ndarray):
    """Between an Array and the plain array that owns its elements: with it, NumPy gives np.asarray(x) the Array as its base."""


# ---- for read(), write() and run() ------------------------------------------

def attach(array, head, crc=None):
    """Gives the array that header, which holds as long as the elements have that checksum; None: as long as nothing is assigned."""
    array._head = head and head.changed(dims=_dims(array), type=array.dtype.name)
    array._sum = crc
    return array


def carried(array):
    """The Header that this array passes on, None where it has none."""
    owner = array
    while isinstance(owner, np.ndarray) and not isinstance(owner, Array):
        owner = owner.base
    if not isinstance(owner, Array) or owner.header is None or array.dtype != owner.dtype or not _same_elements(array, owner):
        return None
    if owner._sum is not None and owner._sum != checksum(owner):
        _change(owner)
    return owner.header


def slabs(array):
    """Parts of the array along its last axis, in their order, of some MiB each."""
    array = np.asarray(array)
    if array.ndim == 0:
        array = array.reshape(1)
    step = max(1, BLOCK * array.shape[-1] // max(1, array.nbytes))
    for start in range(0, array.shape[-1], step):
        yield array[..., start:start + step]


def checksum(array):
    """CRC-32 of the elements in Fortran order."""
    crc = 0
    for part in slabs(array):
        crc = zlib.crc32(np.asfortranarray(part).ravel(order="K").view(np.uint8), crc)
    return crc


# ---- headers ----------------------------------------------------------------

def _known_sum(array):
    """The checksum that goes with a copy: a map that cannot be written to has none of its own."""
    head = array.header
    if array._sum is None and head is not None and head.history:
        return checksum(array)
    return array._sum


def _places(head, array):
    """What holds of this array, with other elements at the same places."""
    direction = {key: text for key, text in (head.extra or {}).items() if key == "Direction"}
    return Header(dims=_dims(array), type=array.dtype.name, spacing=head.spacing, origin=head.origin, detector=head.detector,
                  extra=direction or None)


def _change(array):
    if array.header is not None:
        attach(array, _places(array.header, array))


def _plain(x):
    return x.view(np.ndarray) if isinstance(x, Array) else x


def _placed(result, inputs):
    """The result of element-wise arithmetic, on the grid of the operands of its shape when all of them have the same."""
    heads = [x.header for x in inputs if isinstance(x, Array) and x.header is not None and x.shape == np.shape(result)]
    heads = [h for h in heads if h.spacing or h.origin] or heads[:1]
    grids = {tuple((h.step(d), h.first(d)) for d in range(np.ndim(result))) for h in heads}
    if np.ndim(result) == 0 or len(grids) != 1:
        return _plain(result)
    return attach(result.view(_Layer).view(Array), _places(heads[0], result))


def _full_index(index, rank):
    """An item for every axis, and None for every new one; None where the index is not made of numbers and slices."""
    items = list(index) if isinstance(index, tuple) else [index]
    simple = (int, np.integer, slice, type(None), type(Ellipsis))
    if any(not isinstance(i, simple) or isinstance(i, bool) for i in items):
        return None
    missing = [slice(None)] * (rank - sum(i is not None and i is not Ellipsis for i in items))
    at = next((n for n, i in enumerate(items) if i is Ellipsis), len(items))
    return items[:at] + missing + items[at + 1:]


def _sliced(shape, axes, items):
    """The axes of array[items]. Behind them the places of numbers that come last: a slice at one z stays at that z."""
    kept, fixed, d = [], [], 0
    for item in items:
        if item is None:
            kept.append((1.0, 0.0))
            fixed = None if fixed else fixed
            continue
        step, first = axes[d]
        if isinstance(item, slice):
            indices = range(*item.indices(shape[d]))
            low = min(indices, default=0)
            kept.append((step * abs(indices.step) if len(indices) > 1 else step, first + low * step))
            fixed = None if fixed else fixed
        elif fixed is not None:
            fixed.append((step, first + item % shape[d] * step))
        d += 1
    return kept if fixed is None else kept + fixed + axes[len(shape):]


def _dims(array):
    return trimmed([int(n) for n in array.shape] or [1])


def _same_elements(a, b):
    """Whether a holds the elements of b in the same order, or the same part (real, imag) of each of them."""
    if _dims(a) != _dims(b):
        return False
    offset = a.__array_interface__["data"][0] - b.__array_interface__["data"][0]
    steps = [(p, q) for n, p, q in zip(a.shape, a.strides, b.strides) if n > 1]
    return 0 <= offset < b.itemsize and all(p == q for p, q in steps)
