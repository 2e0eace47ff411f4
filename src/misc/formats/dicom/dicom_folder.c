#include "misc/formats/dicom/dicom_folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/formats/dicom/dicom.h"
#include "misc/formats/dicom/dicom_internal.h"
#include "misc/mem.h"
#include "misc/printable.h"

/* ---- DICOMDIR ---- */

bool dicom_folder_is_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return 0 == strcasecmp(slash ? slash + 1 : path, "DICOMDIR");
}

struct references {
	const char *directory;
	struct named_file *v;
	int n, missing;
};

static bool is_file(const char *path)
{
	struct stat st;

	return 0 == stat(path, &st) && S_ISREG(st.st_mode);
}

/* Components are folders and a name of capitals, digits and _, which some systems show in lower case. */
static void refer(void *ctx, const char *components)
{
	struct references *r = ctx;
	const char *slash = strrchr(r->directory, '/');
	const int folder = slash ? (int)(slash + 1 - r->directory) : 0;
	char *path = mem_printf("%.*s%s", folder, r->directory, components);

	for (char *p = path + folder; *p; p++)
		*p = '\\' == *p ? '/' : *p;

	for (char *p = path + folder; *p && !is_file(path); p++)
		*p = (char)tolower((unsigned char)*p);

	if ('\\' == *components || strchr(components, '/') || strstr(components, "..") || !is_file(path)) {
		r->missing++;
		free(path);
		return;
	}

	r->v = mem_realloc(r->v, (size_t)(r->n + 1) * sizeof *r->v);
	r->v[r->n++] = (struct named_file){.path = path};
}

int dicom_folder_expand(struct named_file **list, int first, int n)
{
	int k = first;

	while (k < n && !dicom_folder_is_directory((*list)[k].path))
		k++;

	if (k == n)
		return n;

	struct references r = {.directory = (*list)[k].path};
	size_t bytes;
	const unsigned char *p = file_map(r.directory, &bytes);
	char *why = dicom_references(p, bytes, refer, &r);

	file_unmap(p);

	if (why)
		error("%s: %s", r.directory, why);

	if (0 == r.n)
		error("%s refers to %d images, which are all missing", r.directory, r.missing);

	if (r.missing > 0)
		warn("%s refers to %d images, of which %d are missing", r.directory, r.n + r.missing,
		        r.missing);

	for (int i = n = first; i < first + r.n; i++)
		n = names_add(list, n, r.v[i - first]);

	free(r.v);
	return n;
}

/* ---- series ---- */

struct series {
	char *uid, *modality, *description;
	long cols, rows, files;
};

enum { WITHOUT = -1, OTHER = -2 };

struct listing {
	struct series *v;
	int n;
	int *of; // of each file; WITHOUT pixels, or of another format, which is for others to say
	int without;
};

static char *printable(const char *text)
{
	struct str s = {0};

	str_add_printable(&s, text);
	return s.data ? s.data : mem_strdup("");
}

static int find_series(const struct listing *l, const char *uid)
{
	for (int i = 0; i < l->n; i++)
		if (0 == strcmp(l->v[i].uid, uid))
			return i;

	return -1;
}

/* The index of its series. */
static int add_file(struct listing *l, const struct dicom *d)
{
	char *uid = printable(d->series);
	int i = find_series(l, uid);

	if (i < 0) {
		i = l->n++;
		l->v = mem_realloc(l->v, (size_t)l->n * sizeof *l->v);
		l->v[i] = (struct series){.uid = uid,
		        .modality = printable(d->modality),
		        .description = printable(d->description),
		        .cols = d->cols,
		        .rows = d->rows};
	} else {
		free(uid);
	}

	l->v[i].files++;
	return i;
}

/* Takes one file into the listing: where it belongs. */
static int look(struct listing *l, const char *path)
{
	struct dicom d;
	size_t bytes;
	const unsigned char *p = file_map(path, &bytes);

	if (!dicom_marked(p, (long)bytes) && !dicom_unmarked(p, (long)bytes)) {
		file_unmap(p);
		return OTHER;
	}

	char *why = dicom_parse(&d, p, bytes);

	file_unmap(p);
	dicom_free(&d);

	if (why && !d.without_pixels)
		error("%s: %s", path, why);

	free(why);
	l->without += d.without_pixels;
	return d.without_pixels ? WITHOUT : add_file(l, &d);
}

static struct listing list_series(const struct named_file list[], int n)
{
	struct listing l = {.of = mem_alloc((size_t)n * sizeof *l.of)};

	for (int k = 0; k < n; k++)
		l.of[k] = look(&l, list[k].path);

	return l;
}

static void listing_free(struct listing *l)
{
	for (int i = 0; i < l->n; i++) {
		free(l->v[i].uid);
		free(l->v[i].modality);
		free(l->v[i].description);
	}

	free(l->v);
	free(l->of);
}

/* "1 = CT, 120 files of 512 x 512, 'Thorax'; 2 = ..." */
static char *sentence(const struct listing *l)
{
	enum { LIST_MAX = 12 };
	struct str s = {0};

	for (int i = 0; i < l->n && i < LIST_MAX; i++) {
		const struct series *v = &l->v[i];

		str_printf(&s, "%s%d = %s%s%ld file%s of %ld x %ld", i ? "; " : "", i + 1, v->modality,
		        *v->modality ? ", " : "", v->files, 1 == v->files ? "" : "s", v->cols, v->rows);

		if (*v->description)
			str_printf(&s, ", '%s'", v->description);
	}

	if (l->n > LIST_MAX)
		str_add(&s, "; ...");

	return s.data;
}

/* The series that a word means: its number, or the beginning of its identifier. */
static int chosen(const struct listing *l, const char *which)
{
	char *end;
	const long number = strtol(which, &end, 10);
	int found = -1;

	if (end > which && '\0' == *end && number >= 1 && number <= l->n)
		return (int)number - 1;

	for (int i = 0; i < l->n; i++) {
		if (0 == strcmp(l->v[i].uid, which))
			return i;

		if (0 == strncmp(l->v[i].uid, which, strlen(which))) {
			if (found >= 0)
				usage_error("--series: '%s' is the beginning of several series UIDs: %s",
				        which, sentence(l));

			found = i;
		}
	}

	if (found < 0)
		usage_error("--series: no series '%s', expected the beginning of a series UID, or a number "
		            "from this list: %s",
		        which, sentence(l));

	return found;
}

int dicom_folder_pick(struct named_file list[], int n, const char *which)
{
	struct listing l = list_series(list, n);
	int kept = 0;

	if (0 == l.n)
		error("%s contains no pixels%s", list[0].path, n > 1 ? ", nor do the other files" : "");

	if (l.n > 1 && !which)
		error("%s and other files contain images of %d series (choose one series with --series): %s",
		        list[0].path, l.n, sentence(&l));

	const int series = which ? chosen(&l, which) : 0;

	for (int k = 0; k < n; k++)
		if (series == l.of[k] || OTHER == l.of[k])
			list[kept++] = list[k];

	if (l.without > 0)
		warn("%d of %d files contain no pixels and are ignored", l.without, n);

	listing_free(&l);
	return kept;
}

void dicom_folder_print(const struct named_file list[], int n)
{
	struct listing l = list_series(list, n);

	for (int i = 0; i < l.n; i++) {
		const struct series *s = &l.v[i];

		printf("%d  %s  %ld file%s  %ld x %ld  %s%s%s\n", i + 1, *s->modality ? s->modality : "-",
		        s->files, 1 == s->files ? "" : "s", s->cols, s->rows, s->description,
		        *s->description ? "  " : "", s->uid);
	}

	listing_free(&l);
}
