/* The memory that parts of files are said to need is what opening them takes. */

#include "check.h"
#include "misc/file/cfl.h"
#include "num/array/part.h"

static const long dims[DIMS] = {7, 5, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static void write_fortran(void)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, DIMS, dims);
	h.type = DT_FLOAT32;

	struct cfl *f = cfl_create("f", &h);

	cfl_map_out(f);
	cfl_close(f);
}

static void write_c(const char *name, const char *type)
{
	char text[128 + 7 * 5 * 3 * 4] = "\x93NUMPY\1\0v";
	FILE *f = fopen(name, "w");

	memset(text + 10, ' ', 118);
	snprintf(text + 10, 118, "{'descr': '%s', 'fortran_order': %s, 'shape': (7, 5, 3), }", type,
	        '>' == type[0] ? "True" : "False");
	text[10 + strlen(text + 10)] = ' ';
	text[127] = '\n';
	fwrite(text, 1, sizeof text, f);
	fclose(f);
}

static void test(const char *name, struct part p, enum dtype t, const char *what)
{
	struct cfl *f = cfl_open(name);
	const long said = part_open_memory(&p, f, t);
	struct array *a = part_open(&p, f, t, false);
	const long took = (NULL == a->storage) ? 0 : array_count(a) * (long)dtype_size(t);

	check(said == took, "%s, %s: %ld bytes, expected %ld", name, what, said, took);
	array_free(a);
	cfl_close(f);
}

static void test_out(struct part p, enum dtype t, const char *what)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, DIMS, dims);
	h.type = DT_FLOAT32;

	const long said = part_out_memory(&p, &h, t, "o");
	struct cfl *f = cfl_create("o", &h);
	struct array *a = part_out(&p, f, t, false);
	const long took = (NULL == a->storage) ? 0 : array_count(a) * (long)dtype_size(t);

	check(said == took, "output, %s: %ld bytes, expected %ld", what, said, took);
	array_free(a);
	cfl_map_out(f);
	cfl_close(f);
}

int main(void)
{
	static const char *const names[] = {"f", "c.npy", "swapped.npy"};
	static const char *const made[] = {"f.hdr", "f.cfl", "o.hdr", "o.cfl", "c.npy", "swapped.npy"};
	char room[SCRATCH], *folder = scratch_name(room);

	if (!mkdtemp(folder) || 0 != chdir(folder)) {
		check(false, "a folder for the test");
		return 1;
	}

	write_fortran();
	write_c("c.npy", "<f4");
	write_c("swapped.npy", ">f4");

	for (int i = 0; i < 3; i++) {
		test(names[i], (struct part){.d = -1}, DT_FLOAT32, "whole");
		test(names[i], (struct part){.d = -1}, DT_FLOAT64, "another type");
		test(names[i], (struct part){.d = 0, .from = 2, .to = 5}, DT_FLOAT32, "along the first dim");
		test(names[i], (struct part){.d = 1, .from = 4, .to = 5}, DT_FLOAT32,
		        "one row of each slice");
		test(names[i], (struct part){.d = 2, .from = 1, .to = 3}, DT_FLOAT32, "along the last dim");
		test(names[i], (struct part){.d = 2, .from = 1, .to = 3}, DT_FLOAT64, "part of another type");
		test(names[i], (struct part){.d = 3, .from = 1, .to = 3}, DT_FLOAT64, "of length 1 along d");
	}

	test_out((struct part){.d = -1}, DT_FLOAT32, "whole");
	test_out((struct part){.d = -1}, DT_FLOAT64, "another type");
	test_out((struct part){.d = 1, .first = 1, .end = 3, .to = 4}, DT_FLOAT32, "part");

	for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
		unlink(made[i]);

	check(0 == chdir("/") && 0 == rmdir(folder), "no temporaries are left");

	return checks_failed > 0;
}
