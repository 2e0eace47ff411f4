/** Files of other programs that are parsed by code of Gantry: DICOM (also compressed, and DICOMDIR), NIfTI,
 * MetaImage, NRRD, EDF, MATLAB 5, NumPy's .npz. */

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/dicom/dicom.h"
#include "misc/formats/source.h"
#include "misc/mem.h"

/* None of the libraries for compressed pixels: they are not what is tested, and what they keep from one run
 * would be released behind their back. */
void *dlopen(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return NULL;
}

struct input {
	const struct format *format;
	char path[32];
};

enum { PIECE = 1 << 16 };

static void read_file(void *ctx)
{
	const struct input *in = ctx;
	struct source *s = in->format->open(in->path, NULL, PART_DATA);

	if (!s)
		return;

	const long count = hdr_count(&s->h, "fuzz"), plane = s->h.dims[0] * s->h.dims[1];

	FUZZ_EXPECT(count > 0, "%ld elements", count);

	if (plane <= PIECE) {
		const long n = count < PIECE / plane * plane ? count : PIECE / plane * plane;
		void *out = mem_alloc((size_t)n * dtype_size(s->h.type));

		s->read(s, 0, n, out);
		s->read(s, count - plane, plane, out);
		free(out);
	}

	source_close(s);
}

static void count_references(void *ctx, const char *components)
{
	*(size_t *)ctx += strlen(components);
}

/* As a DICOMDIR. */
static void read_directory(void *ctx)
{
	const struct input *in = ctx;
	size_t n, length = 0;
	const unsigned char *p = file_map(in->path, &n);
	char *why = dicom_references(p, n, count_references, &length);

	file_unmap(p);
	FUZZ_EXPECT(length <= n, "%zu bytes of references in %zu", length, n);
	free(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct format *const all[] = {&format_dicom, &format_nifti, &format_metaimage,
	        &format_nrrd, &format_edf, &format_npz, &format_matlab5};
	struct input in;
	const int fd = fuzz_file(data, size);
	const long n = size < FORMAT_HEAD ? (long)size : FORMAT_HEAD;
	unsigned char head[FORMAT_HEAD + 1];

	memcpy(head, data, (size_t)n);
	head[n] = 0;
	snprintf(in.path, sizeof in.path, "/proc/self/fd/%d", fd);

	// the table of mappings keeps an entry for a path
	if (size > 0) {
		size_t bytes;

		file_unmap(file_map(in.path, &bytes));
	}

	if (dicom_marked(head, n))
		fuzz_run(read_directory, &in);

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		in.format = all[i];

		if (all[i]->probe(head, n, in.path))
			FUZZ_EXPECT(EXIT_USAGE != fuzz_run(read_file, &in),
			        "a file is called a mistake of the command line");
	}

	return 0;
}
