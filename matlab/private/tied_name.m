function name = tied_name(stem, header)
%TIED_NAME  NAME.cfl~TIE: where the data of a header stand until a commit is complete (doc/format.md). TIE is the CRC-32 of its text.

	f = fopen(header, 'r');
	text = fread(f, Inf, '*uint8');
	fclose(f);

	table = uint32(0:255);

	for k = 1:8
		odd = bitand(table, 1) == 1;
		table = bitshift(table, -1);
		table(odd) = bitxor(table(odd), uint32(3988292384));
	end

	c = uint32(4294967295);

	for byte = uint32(text(:)).'
		c = bitxor(bitshift(c, -8), table(double(bitand(bitxor(c, byte), 255)) + 1));
	end

	name = sprintf('%s.cfl~%08x', stem, bitxor(c, uint32(4294967295)));
end
