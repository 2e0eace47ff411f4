/* Files read by misc/formats: volumes, and scans with their flat fields and angles. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/shape/import.h"

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/formats/hdf5/hdf5.h"
#include "misc/formats/pictures.h"
#include "misc/mem.h"
#include "misc/options/parse.h"

static struct stack *open_part(const struct import_files *files, const struct import_scan *o, enum part part)
{
	struct stack *s = stack_open(files->n, files->v, part, o->along, o->no_sort);

	if (!s)
		error("%s contains no %s that Gantry recognises (write FILE.h5:/path to name an array)",
		        files->v[0].path, part_name(part));

	if (PART_DATA == part && o->range)
		parse_range(o->range, s->first[s->n], &s->start, &s->step, &s->count, "--range");

	for (int k = 1; k < s->n && !o->rescale; k++)
		if (0 != memcmp(s->rescale[k], s->rescale[0], sizeof s->rescale[0]))
			error("%s has slope %g and intercept %g, but %s has slope %g and intercept %g (use "
			      "--rescale)",
			        files->v[k].path, s->rescale[k][0], s->rescale[k][1], files->v[0].path,
			        s->rescale[0][0], s->rescale[0][1]);

	return s;
}

/* Angles [degrees] of the projections (malloc'd): in the file, or one in each file. */
static double *find_angles(const struct import_files *files, const struct stack *s, long *n)
{
	double *v = NULL;

	if (s->angle) {
		*n = s->n;
		v = mem_alloc((size_t)s->n * sizeof *v);
		memcpy(v, s->angle, (size_t)s->n * sizeof *v);
	} else if (&format_hdf5 == s->format) {
		v = hdf5_angles(files->v[0].path, NULL, n);
	}

	if (!v)
		error("%s contains no angles that Gantry recognises (write FILE.h5:/path/to/angles to name "
		      "an array)",
		        files->v[0].path);

	return v;
}

static void import_angles(
        const struct import_files *files, const struct stack *s, const struct import_scan *o)
{
	long n = 0, start = 0, step = 1, count;
	double *v = find_angles(files, s, &n);

	bool found = false;

	for (int d = 0; d < DIMS; d++) // views are not the last dimension everywhere
		found |= n == s->h.dims[d];

	if (!found)
		warn("%s contains %ld angles, but %ld projections", files->v[0].path, n, s->first[s->n]);

	count = n;

	if (o->range)
		parse_range(o->range, n, &start, &step, &count, "--range");

	struct file_out *f = file_create(o->angles);
	struct str text = {0};

	for (long i = 0; i < count; i++) {
		str_add_double(&text, v[start + i * step], 15);
		str_add(&text, "\n");
	}

	if (1 != fwrite(text.data, text.len, 1, file_stream(f)))
		file_failed(f, NULL);

	file_commit(f);
	free(text.data);
	free(v);
}

void import_scan(
        const struct import_scan *o, const struct describe_opts *about, const struct import_files *files)
{
	struct stack *s[PART_COUNT] = {0};
	struct cfl *out[PART_COUNT] = {0};

	for (int p = 0; p < PART_COUNT; p++)
		if (o->out[p])
			s[p] = open_part(files, o, (enum part)p);

	if (&format_hdf5 == s[PART_DATA]->format && !files->v[0].inside && !o->out[PART_FLATS] &&
	        !o->out[PART_DARKS] && !o->angles)
		hdf5_tell_scan(files->v[0].path);

	for (int p = 0; p < PART_COUNT; p++) {
		struct hdr h;

		if (!s[p])
			continue;

		stack_header(s[p], o->transpose, o->rescale, &h);
		describe(&h, about);

		if (PART_DATA == p)
			source_tell_unknown(&h, files->v[0].path);

		out[p] = cfl_create(o->out[p], &h);
		hdr_free(&h);
	}

	if (s[PART_DATA]->has_rescale && !o->rescale)
		info("%s: values are kept as stored (use --rescale to apply 'true value = stored * %g + %g')",
		        files->v[0].path, s[PART_DATA]->rescale[0][0], s[PART_DATA]->rescale[0][1]);

	for (int p = 0; p < PART_COUNT; p++)
		if (s[p])
			stack_read(s[p], o->transpose, o->rescale, out[p]);

	if (o->angles)
		import_angles(files, s[PART_DATA], o);

	for (int p = 0; p < PART_COUNT; p++) {
		if (!s[p])
			continue;

		cfl_close(out[p]);
		stack_free(s[p]);
	}
}
