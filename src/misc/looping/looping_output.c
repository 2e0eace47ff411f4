/** The whole outputs of a loop, in the parent. */

#include <stdlib.h>
#include <string.h>

#include "misc/error.h"
#include "misc/file/cfl_io.h"
#include "misc/looping/looping_internal.h"
#include "misc/options/opt_internal.h"

struct looping_output {
	struct cfl *whole;
	struct looping_request first; // what was said first: header already that of the whole
	struct hdr hdr;
	long slices; // that have asked for it
	struct looping_output *next;
};

static struct looping_output *outputs;

static struct looping_output *find(const char *name)
{
	for (struct looping_output *o = outputs; o; o = o->next)
		if (0 == strcmp(o->first.name, name))
			return o;

	return NULL;
}

/* The header of a request as that of the whole. */
static void read_header(struct hdr *h, const struct looping_request *r)
{
	hdr_parse(h, r->header, strlen(r->header), r->name);
	looping_whole_header(h, r->slice, r->name);
}

static void create(struct looping_output *o, const struct looping_request *r)
{
	const struct looping_request *a = &o->first;

	o->first = (struct looping_request){.slice = r->slice,
	        .name = mem_strdup(r->name),
	        .header = hdr_format(&o->hdr, NULL),
	        .words = mem_realloc(NULL, (size_t)r->words_n),
	        .words_n = r->words_n};
	memcpy(a->words, r->words, (size_t)r->words_n);

	// the line of the history is that of a slice, which knows what the command chose by itself
	opt_words_restore(r->words, r->words_n);
	tool_record("loop", "%s", looping.text);
	tool_needs(mul_checked(r->bytes, looping.jobs, r->name),
	        r->seconds * (double)looping.here / (double)looping.jobs);

	o->whole = cfl_create(r->name, &o->hdr);
	cfl_map_out(o->whole);
}

/* The first line in which the texts differ, as it is in a; malloc'd. */
static char *other_line(const char *a, const char *b)
{
	const char *line = a;

	for (long i = 0; a[i] && a[i] == b[i]; i++)
		if ('\n' == a[i])
			line = a + i + 1;

	return mem_printf("%.*s", (int)strcspn(line, "\n"), line);
}

static _Noreturn void disagree(const struct looping_output *o, const struct looping_request *r,
        const struct hdr *h, const char *header)
{
	char *here = looping_place(r->slice), *there = looping_place(o->first.slice);
	struct hdr a = *h, b = o->hdr;

	for (int k = 0; k < looping.n; k++)
		a.dims[looping.dim[k].d] = b.dims[looping.dim[k].d] = 1;

	if (0 != memcmp(a.dims, b.dims, sizeof a.dims) || a.type != b.type)
		error("%s is %s (%s) at %s, but %s (%s) at %s, expected the same for all slices", r->name,
		        hdr_shape(&a), dtype_name(a.type), here, hdr_shape(&b), dtype_name(b.type), there);

	bool same = 0 == strcmp(header, o->first.header);
	char *mine = same ? opt_words_other(r->words, r->words_n, o->first.words, o->first.words_n)
	                  : other_line(header, o->first.header);
	char *other = same ? opt_words_other(o->first.words, o->first.words_n, r->words, r->words_n)
	                   : other_line(o->first.header, header);

	error("%s: the command chooses '%s' at %s, but '%s' at %s (set one choice for all slices by an "
	      "option)",
	        r->name, mine, here, other, there);
}

const struct looping_output *looping_output(const struct looping_request *r)
{
	struct looping_output *o = find(r->name);
	struct hdr h;

	read_header(&h, r);

	if (o && r->slice == o->first.slice)
		error("%s is given as the name of more than one output", r->name);

	if (!o) {
		o = NEW(struct looping_output);
		o->hdr = h;
		create(o, r);
		o->next = outputs;
		outputs = o;
	} else {
		char *header = hdr_format(&h, NULL);

		if (0 != strcmp(header, o->first.header) || r->words_n != o->first.words_n ||
		        0 != memcmp(r->words, o->first.words, (size_t)r->words_n))
			disagree(o, r, &h, header);

		free(header);
		hdr_free(&h);
	}

	o->slices++;
	return o;
}

int looping_output_file(const struct looping_output *o, long *offset)
{
	*offset = o->whole->io->offset;
	return o->whole->io->fd;
}

void looping_outputs_close(void)
{
	for (struct looping_output *o = outputs; o; o = o->next)
		if (o->slices != looping.here)
			error("%s: only %ld of the %ld slices have been written", o->first.name, o->slices,
			        looping.here);

	for (struct looping_output *o = outputs; o; o = o->next)
		cfl_close(o->whole);
}
