/**
 * The header parser. Any text must give an error message, or a header that is unchanged after writing and
 * reading it again.
 */

#include <string.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/file/hdr.h"

struct text {
	const char *data;
	size_t size;
};

static void parse(void *ctx)
{
	const struct text *t = ctx;
	struct hdr h, back;

	hdr_parse(&h, t->data, t->size, "fuzz.hdr");

	char *once = hdr_format(&h, NULL);

	hdr_parse(&back, once, strlen(once), "written.hdr");

	char *twice = hdr_format(&back, NULL);

	FUZZ_EXPECT(0 == strcmp(once, twice), "a header changes when it is written and read:\n%s---\n%s",
	        once, twice);
	free(once);
	free(twice);
	hdr_free(&back);
	hdr_bytes(&h, "fuzz.hdr");
	hdr_free(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text t = {(const char *)data, size};

	FUZZ_EXPECT(EXIT_USAGE != fuzz_run(parse, &t), "a header is called a mistake of the command line");
	FUZZ_EXPECT(0 != strncmp(fuzz_sentence(), "written.hdr", 11), "what was written is refused: %s",
	        fuzz_sentence());
	return 0;
}
