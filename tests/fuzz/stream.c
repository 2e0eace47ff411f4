/**
 * Streams: first line, header, elements, end. They are read in pieces, and mapped like an ordinary file. The
 * source file is included, so that a stream can be opened again for every input.
 */

#include "misc/file/stream.c" // NOLINT

#include "fuzz.h"

static void take(void)
{
	struct hdr h;
	char piece[97];

	input_used = false;
	stream_open(&h);
	hdr_free(&h);

	while (input_left > 0)
		stream_read(piece, input_left < (long)sizeof piece ? input_left : (long)sizeof piece);

	stream_finish();
}

static void take_mapped(void)
{
	struct hdr h;
	unsigned char *map = NULL;

	input_used = false;
	stream_open(&h);
	hdr_free(&h);

	long bytes = input_left;
	const unsigned char *elements = stream_map(&map);
	unsigned sum = 0;

	FUZZ_EXPECT(elements, "a file is not mapped");

	for (long i = 0; i < bytes; i++)
		sum += elements[i];

	FUZZ_EXPECT(sum <= 255ul * (unsigned long)bytes, "bytes over 255");
	mapping_free(map);
	stream_finish();
}

static void run(void *ctx)
{
	((void (*const *)(void))ctx)[0]();
}

extern int LLVMFuzzerInitialize(int *argc, char ***argv);

/** The table of mappings keeps its entries: the one of standard input is made here. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	mapping_free(mapping_create(fuzz_file("x", 1), 1, false, "standard input"));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void (*const ways[])(void) = {take, take_mapped};
	int status[2];

	for (int i = 0; i < 2; i++) {
		FUZZ_EXPECT(0 <= dup2(fuzz_file(data, size), STDIN_FILENO), "no standard input");
		status[i] = fuzz_run(run, (void *)&ways[i]);
	}

	FUZZ_EXPECT(status[0] == status[1] && status[0] <= EXIT_FAILED, "read: status %d, mapped: %d",
	        status[0], status[1]);
	return 0;
}
