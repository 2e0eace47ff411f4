function dims = dims_of(data)
%DIMS_OF  Extents of an array without the ones at their end, as a header has them.

	dims = size(data);
	dims = dims(1:max([1, find(dims > 1, 1, 'last')]));
end
