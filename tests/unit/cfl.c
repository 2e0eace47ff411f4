/* Arrays on disk: every type through every container, foreign orders, pieces against the whole, and what is
 * refused. */

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/stat.h>

#include "check.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/file/foreign.h"
#include "misc/mem.h"

static const long dims[] = {5, 3, 4};

enum { COUNT = 60 };

static void put(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || n != fwrite(data, 1, n, f) || 0 != fclose(f))
		check(false, "cannot write %s", path);
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

/* Element i of a test array: bytes that differ, but booleans and quiet numbers. */
static void fill(unsigned char *p, enum dtype t, long n)
{
	size_t size = dtype_size(t);

	for (long i = 0; i < n; i++)
		for (size_t b = 0; b < size; b++)
			p[(size_t)i * size + b] =
			        DT_BOOL == t ? i % 3 == 0 : (unsigned char)(i + 61 * (long)b) & 0x3f;
}

static void write_array(const char *name, enum dtype t)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 3, dims);
	h.type = t;

	struct cfl *f = cfl_create(name, &h);

	fill(cfl_map_out(f), t, COUNT);
	cfl_close(f);
}

/* The whole and pieces of 7 are the expected bytes. */
static bool holds(const char *name, enum dtype t)
{
	size_t size = dtype_size(t);
	unsigned char *expected = mem_alloc(COUNT * size);
	bool good;

	fill(expected, t, COUNT);

	struct cfl *f = cfl_open(name);

	good = f->hdr.type == t && COUNT == f->count && 5 == f->hdr.dims[0] && 3 == f->hdr.dims[1] &&
	       4 == f->hdr.dims[2];
	good = good && 0 == memcmp(cfl_map(f), expected, COUNT * size);
	cfl_close(f);
	f = cfl_open(name);

	for (long first = 0; good && first < COUNT; first += 7) {
		long n = COUNT - first < 7 ? COUNT - first : 7;

		good = 0 == memcmp(cfl_next(f, n), expected + (size_t)first * size, (size_t)n * size);
		cfl_will_need(f, first, n);
		cfl_done_with(f, first, n);
	}

	cfl_close(f);
	free(expected);
	return good;
}

static void test_types(void)
{
	static const char *const names[] = {"x", "x.npy", "x.ra"};

	for (int t = 0; t < DT_COUNT; t++) {
		for (int i = 0; i < 3; i++) {
			if ((1 == i && DT_COMPLEX32 == t) || (2 == i && DT_BOOL == t))
				continue;

			write_array(names[i], t);
			check(holds(names[i], t), "%s as %s", names[i], dtype_name(t));
		}
	}

	check(holds("x.cfl", DT_COMPLEX128) && holds("x.hdr", DT_COMPLEX128),
	        "a pair by the name of one of its files");
}

static void test_big_endian(void)
{
	for (int t = 0; t < DT_COUNT; t++) {
		size_t size = dtype_size(t), unit = dtype_unit(t);
		unsigned char data[COUNT * 16], swapped[COUNT * 16];
		char text[100];

		fill(data, t, COUNT);

		for (size_t i = 0; i < COUNT * size; i++)
			swapped[i / unit * unit + unit - 1 - i % unit] = data[i];

		snprintf(text, sizeof text, "# Dimensions\n5 3 4\n# Type\n%s\n# Byte-Order\nbig\n",
		        dtype_name(t));
		put_text("b.hdr", text);
		put("b.cfl", swapped, COUNT * size);
		check(holds("b", t), "big-endian %s", dtype_name(t));
	}
}

static void test_reorder(void)
{
	static const long shapes[][DIMS] = {
	        {5, 3, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	        {70, 90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	        {1, 40, 3, 50, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	        {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 3},
	        {9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	};

	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
		const long *n = shapes[s];
		long count = 1;

		for (int d = 0; d < DIMS; d++)
			count *= n[d];

		int32_t *in = mem_alloc((size_t)count * 4), *out = mem_alloc((size_t)count * 4);
		bool good = true;

		for (long i = 0; i < count; i++) {
			in[i] = (int32_t)i;
			out[i] = -1;
		}

		long first[DIMS], last[DIMS];

		foreign_steps(n, false, 4, first);
		foreign_steps(n, true, 4, last);
		foreign_copy(n, first, out, last, in, 4);

		for (long i = 0; i < count; i++) {
			long rest = i, c = 0;

			for (int d = 0; d < DIMS; d++) { // index of dim d, and its place in C order
				c = c * n[d] + rest % n[d];
				rest /= n[d];
			}

			good &= out[i] == (int32_t)c;
		}

		check(good, "last dim first, shape %zu", s);
		free(in);
		free(out);
	}
}

static void test_slabs(void)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 3, dims);
	h.type = DT_INT16;

	struct cfl *f = cfl_create("s", &h);
	unsigned char data[COUNT * 2];

	fill(data, DT_INT16, COUNT);

	for (long first = 0; first < COUNT; first += 11) {
		long n = COUNT - first < 11 ? COUNT - first : 11;

		memcpy(cfl_slab(f, n), data + 2 * first, (size_t)(2 * n));
	}

	check(0 != access("s.hdr", F_OK), "no output before its end");
	cfl_close(f);
	check(holds("s", DT_INT16), "slabs make the whole");

	f = cfl_create("zero", &h);
	cfl_close(f);
	f = cfl_open("zero");
	bool good = true;
	for (long i = 0; i < f->count; i++)
		good &= 0 == ((const int16_t *)cfl_map(f))[i];
	check(good, "an untouched output is zero");
	cfl_close(f);
}

static void test_together(void)
{
	struct hdr h;

	hdr_init(&h);

	struct cfl *a = cfl_create("a", &h);
	struct cfl *b = cfl_create("b2.npy", &h);

	cfl_close(a);
	check(0 != access("a.hdr", F_OK), "an output waits for the other one");
	cfl_close(b);
	check(0 == access("a.hdr", F_OK) && 0 == access("a.cfl", F_OK) && 0 == access("b2.npy", F_OK),
	        "and they appear together");
}

static void same_output_twice(void)
{
	struct hdr h;

	hdr_init(&h);
	cfl_create("a", &h);
	cfl_create("./a.cfl", &h);
	cfl_create("a.cfl", &h);
}

static void test_in_place(void)
{
	write_array("p", DT_INT16);

	struct cfl *x = cfl_open("p");
	struct cfl *y = cfl_create("p", &x->hdr);
	const int16_t *in = cfl_map(x);
	int16_t *out = cfl_map_out(y);

	for (int i = 0; i < COUNT; i++)
		out[i] = (int16_t)(2 * in[i]);

	cfl_close(y);
	bool good = true;
	struct cfl *z = cfl_open("p");
	for (int i = 0; i < COUNT; i++)
		good &= ((const int16_t *)cfl_map(z))[i] == 2 * in[i];
	check(good, "an output may carry the name of an input, which stays as it was while open");
	cfl_close(z);
	cfl_close(x);
}

/* ---- ends ---- */

static const char *bad_name;

static void open_bad(void)
{
	cfl_close(cfl_open(bad_name));
}

static void refused(const char *name, const char *said)
{
	bad_name = name;
	check_ends(1, said, open_bad, said);
}

static void npy_with(const char *literal)
{
	char text[200];
	size_t n = strlen(literal);

	memset(text, 0, sizeof text);
	memcpy(text, "\x93NUMPY\1\0", 8);
	text[8] = (char)n;
	memcpy(text + 10, literal, n);
	put("bad.npy", text, 10 + n + 16);
}

static void test_refused(void)
{
	refused("missing", "missing.hdr: cannot be read: No such file");
	put_text("t.hdr", "# Dimensions\n4 4\n# Type\nint16\n");
	refused("t", "t.cfl: cannot be read: No such file");
	put_text("t.cfl", "0123456789");
	refused("t", "t.cfl has 10 bytes, expected 32 according to t.hdr (int16, 4 x 4)");
	put_text("t.cfl", "0123456789012345678901234567890123456789");
	refused("t", "t.cfl has 40 bytes, expected 32");
	put_text("picture.tif", "II");
	refused("picture.tif", "picture.tif.hdr not found");
	check(0 == mkdir("folder.hdr", 0777), "folder.hdr");
	put_text("folder.cfl", "");
	refused("folder", "a folder");
	rmdir("folder.hdr");
	put_text("bad.npy", "hello");
	refused("bad.npy", "not a .npy file");
	npy_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n");
	check((bad_name = "bad.npy", true), "a good .npy");
	open_bad();
	npy_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n");
	refused("bad.npy", "16 bytes of elements, expected 24");
	npy_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0), }\n");
	refused("bad.npy", "has size 0 along axis 1");
	npy_with("{'descr': '|O', 'fortran_order': True, 'shape': (2, 2), }\n");
	refused("bad.npy", "'|O'");
	npy_with("{'descr': [('a', '<f4')], 'fortran_order': True, 'shape': (2, 2), }\n");
	refused("bad.npy", "structured");
	npy_with("{'descr': '<f4', 'shape': (2, 2), }\n");
	refused("bad.npy", "the .npy header lacks");
	npy_with("{'descr': '<f4', 'fortran_order': Maybe");
	refused("bad.npy", "malformed");
	put_text("bad.ra", "hello");
	refused("bad.ra", "not a .ra file");
}

static void create_complex32(void)
{
	write_array("no.npy", DT_COMPLEX32);
}

static void create_nowhere(void)
{
	write_array("nowhere/x", DT_INT8);
}

static void create_huge(void)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 2, (const long[]){1L << 30, 1L << 24});
	cfl_create("huge", &h);
}

static void quantity_wrong(void)
{
	struct cfl *f = cfl_open("q");

	cfl_expect(f, 1u << Q_LINE_INTEGRAL | 1u << Q_COUNTS, "run gantry project first");
}

static void dims_differ(void)
{
	struct cfl *a = cfl_open("q"), *b = cfl_open("s");

	cfl_same_dims(a, b, DIMS);
}

static void not_real(void)
{
	cfl_expect_real(cfl_open("q"));
}

static void test_checks(void)
{
	put_text("q.hdr", "# Dimensions\n5 3\n# Quantity\nattenuation\n");
	put("q.cfl", (char[120]){0}, 120);
	check_ends(1, "q contains attenuation, expected counts or line-integral: run gantry project first",
	        quantity_wrong, "wrong quantity");

	struct cfl *f = cfl_open("q");

	cfl_expect(f, 1u << Q_ATTENUATION, "");
	check(true, "right quantity");
	cfl_close(f);
	check_ends(1, "q is 5 x 3, but s is 5 x 3 x 4", dims_differ, "other dims");
	check_ends(1, "complex", not_real, "complex data");
	check_ends(1, "NumPy has no type complex32", create_complex32, "complex32 as .npy");
	check_ends(1, "nowhere/x.cfl: cannot be created: No such file", create_nowhere, "no such folder");
	check_ends(1, "huge.cfl: needs", create_huge, "65536 TiB do not fit");
	check_ends(2, "more than one output", same_output_twice, "one name for two outputs");
	check(0 != access("huge.cfl", F_OK) && 0 != access("no.npy", F_OK), "nothing is left of them");
}

static void truncated_input(void)
{
	struct cfl *f = cfl_open("big");
	const volatile char *p = cfl_map(f);

	cfl_install_signals();

	if (0 != truncate("big.cfl", 4096))
		_exit(50);

	_exit(p[f->count - 1] ? 51 : 52);
}

static void truncated_output(void)
{
	struct hdr h;

	hdr_init(&h);
	h.dims[0] = 1 << 20;
	cfl_install_signals();
	setenv("GANTRY_TMPFILE", "0", 1);

	struct cfl *f = cfl_create("big", &h);
	volatile char *p = cfl_map_out(f);

	if (0 != system("truncate -s 4096 .gantry-*.tmp"))
		_exit(50);

	p[(1 << 22) - 1] = 1;
	_exit(51);
}

static void test_bus_error(void)
{
	struct hdr h;

	hdr_init(&h);
	h.dims[0] = 1 << 20;
	h.type = DT_INT8;
	cfl_close(cfl_create("big", &h));
	check_ends(
	        1, "big.cfl: truncated while it was read", truncated_input, "a truncated input is a message");
	check_ends(1, "big.cfl: cannot be written any further", truncated_output,
	        "a truncated output is a message");
	check(0 != system("ls .gantry-*.tmp > /dev/null 2>&1"), "and leaves no temporaries");
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room);
	char clean[SCRATCH + 10];

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	test_types();
	test_big_endian();
	test_reorder();
	test_slabs();
	test_together();
	test_in_place();
	test_refused();
	test_checks();
	test_bus_error();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
