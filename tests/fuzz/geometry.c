/**
 * Geometries of other packages and scanners. The first line of an input names the format. Any text must give
 * an error message or a valid geometry, which every format then writes or refuses.
 */

#include <string.h>

#include "ct/exchange/exchange.h"
#include "fuzz.h"
#include "misc/error.h"

static const char *const forms[] = {"astra", "astra-plain", "parallel_vec", "fanflat_vec", "parallel3d_vec",
        "cone_vec", "tigre", "rtk", "cil", "leap", "leap-modular", "matrix", "nikon", "skyscan"};

enum { FORMS = sizeof forms / sizeof *forms, WRITTEN = EXCHANGE_MATRIX + 1 };

struct input {
	enum exchange_form form;
	char path[32];
	bool hints; // of what the file leaves out
	int to;     // form to write, -1: none
};

static void convert(void *ctx)
{
	struct input *in = ctx;
	const struct exchange_hints none = {.cols = 0}, some = {.cols = 5, .rows = 4, .pitch = {0.5, 0.25}};
	struct grid volume;
	bool has_volume;
	struct geom *g = exchange_read(in->form, in->path, in->hints ? &some : &none, &volume, &has_volume);

	FUZZ_EXPECT(g->views > 0 && g->cols > 0 && g->rows > 0, "%ld views of %ld x %ld pixels", g->views,
	        g->cols, g->rows);

	if (!has_volume)
		volume = (struct grid){.size = {2, 2, 2}, .spacing = {1., 1., 1.}};

	if (in->to < 0)
		geom_check(g, "fuzz");
	else
		exchange_write((enum exchange_form)in->to, "/dev/null", g, "fuzz", &volume);

	geom_free(g);
}

/** The form that the first line names, -1: none; *text is where the rest begins. */
static int form_of(const uint8_t *data, size_t size, size_t *text)
{
	const uint8_t *end = memchr(data, '\n', size);

	if (!end)
		return -1;

	const size_t length = (size_t)(end - data);

	*text = length + 1;

	for (int i = 0; i < FORMS; i++)
		if (strlen(forms[i]) == length && 0 == memcmp(forms[i], data, length))
			return i;

	return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t text;
	const int form = form_of(data, size, &text);

	if (form < 0)
		return -1; // libFuzzer: not worth keeping

	struct input in = {.form = (enum exchange_form)form};
	const int fd = fuzz_file(data + text, size - text);

	snprintf(in.path, sizeof in.path, "/proc/self/fd/%d", fd);

	for (int hints = 0; hints < 2; hints++) {
		in.hints = hints;
		in.to = -1;

		const int status = fuzz_run(convert, &in);

		FUZZ_EXPECT(EXIT_USAGE != status, "a file is called a mistake of the command line");

		for (in.to = 0; 0 == status && in.to < WRITTEN; in.to++)
			FUZZ_EXPECT(EXIT_USAGE != fuzz_run(convert, &in),
			        "a form is a mistake of the command line");
	}

	return 0;
}
