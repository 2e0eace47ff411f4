/* Header text: what it means, that it survives writing and reading, and what is refused. */

#include <math.h>

#include "check.h"
#include "misc/file/hdr.h"
#include "misc/mem.h"

static struct hdr parsed(const char *text)
{
	struct hdr h;

	hdr_parse(&h, text, strlen(text), "test.hdr");
	return h;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && 0 == strcmp(a, b));
}

static void test_bart(void)
{
	struct hdr h = parsed(
	        "# Dimensions\n256 128 1 8 1 1 1 1 1 1 1 1 1 1 1 1 \n# Command\nphantom -x 256 -s 8 ph \n"
	        "# Files\n >ph <in\n# Creator\nBART v0.9.00\n");

	check(256 == h.dims[0] && 128 == h.dims[1] && 1 == h.dims[2] && 8 == h.dims[3] && 1 == h.dims[15],
	        "BART: dims");
	check(DT_COMPLEX64 == h.type && !h.big_endian && Q_UNKNOWN == h.quantity,
	        "BART: complex64, nothing else known");
	check(same_text(h.command, "phantom -x 256 -s 8 ph") && same_text(h.files, ">ph <in") &&
	                same_text(h.creator, "BART v0.9.00"),
	        "BART: strings");
	check(!h.has_spacing && !h.has_origin && 1. == h.spacing[3] && -3.5 == hdr_origin(&h, 3),
	        "BART: grid");
	hdr_free(&h);

	h = parsed("# Dimensions\n4 5 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n");
	check(4 == h.dims[0] && 5 == h.dims[1] && 4 * 5 == hdr_count(&h, "x"), "dims behind the 16th are 1");
	h = parsed("# Dimensions\r\n4 5 \t\r\n\r\n# Type  \r\n  int16\t \r\n# Byte-Order\r\nbig\r\n");
	check(4 == h.dims[0] && 5 == h.dims[1] && 1 == h.dims[2] && DT_INT16 == h.type && h.big_endian,
	        "CR-LF, trailing blanks, empty lines, few dims");
	h = parsed("# Dimensions\n7");
	check(7 == h.dims[0], "no line end at the end");
	h = parsed("#Dimensions\n7\n");
	check(7 == h.dims[0], "no blank behind #");
}

static const char everything[] =
        "# Dimensions\n4 5 1 3\n# Type\nfloat64\n# Byte-Order\nbig\n# Spacing\n0.1 0.2 1 2.5\n"
        "# Origin\n-1.25 0.30000000000000004 0 7\n# Quantity\nattenuation\n# Unit\n1/mm\n"
        "# Detector\n384 256 1536.5\n# Scanner\nname\n  with indent\n# Empty\n# Command\ngantry x\n"
        "# Files\n<a >b\n# Creator\ngantry 1\n# History\n0123456789abcdef: x >\n";

static void test_round_trip(void)
{
	struct hdr h = parsed(everything);
	char *text = hdr_format(&h, NULL);

	check(same_text(text, everything), "a full header is written as it was read");
	check(same_text(h.extra, "# Scanner\nname\n  with indent\n# Empty\n"), "unknown sections are kept");
	check(384 == h.detector[0] && 256 == h.detector[1] && 1536.5 == h.radius, "detector");
	check(0.1 == h.spacing[0] && 0.30000000000000004 == h.origin[1], "numbers come back exactly");
	check(same_text(h.history, "0123456789abcdef: x >\n"), "history");
	free(text);

	struct hdr c;

	hdr_copy(&c, &h);
	check(!c.command && !c.files && !c.creator && !c.history && !c.big_endian &&
	                same_text(c.extra, h.extra) && Q_ATTENUATION == c.quantity &&
	                same_text(c.unit, "1/mm") && c.has_detector,
	        "a copy keeps what belongs to the data");
	hdr_free(&h);
	hdr_free(&c);
	check(NULL == c.extra && 1 == c.dims[0], "hdr_free leaves an empty header");

	for (int t = 0; t < DT_COUNT; t++) {
		hdr_init(&h);
		h.type = t;
		text = hdr_format(&h, NULL);
		struct hdr back = parsed(text);
		check(back.type == (enum dtype)t && 1 == back.dims[0] && 1 == hdr_rank(&back),
		        "type %s comes back", dtype_name(t));
		free(text);
	}

	for (int q = 0; q <= Q_GEOMETRY; q++) {
		hdr_init(&h);
		h.quantity = q;
		text = hdr_format(&h, NULL);
		struct hdr back = parsed(text);
		check(back.quantity == (enum quantity)q, "quantity %s comes back", quantity_name(q));
		free(text);
	}
}

static void test_order(void)
{
	struct hdr h = parsed(everything);
	char *text = hdr_format(&h, NULL);
	char *last = NULL;

	for (char *p = strstr(text, "# "); p; p = strstr(p + 1, "\n# "))
		last = p;

	check(0 == strncmp(text, "# Dimensions\n4 5 1 3\n", 21), "dimensions stand on line 2");
	check(0 == strncmp(last, "\n# History\n", 11), "the history is last");
	free(text);

	free(h.command);
	h.command = mem_strdup("gantry a\n# Dimensions\n9\rb");
	text = hdr_format(&h, NULL);
	struct hdr back = parsed(text);
	check(4 == back.dims[0] && same_text(back.command, "gantry a # Dimensions 9 b"),
	        "a command cannot forge sections");
	free(text);
	hdr_free(&h);
	hdr_free(&back);
}

/* Values that begin with # behind a blank are values, not sections. */
static void test_hash_sign(void)
{
	struct hdr h = parsed("# Dimensions\n4\n# Unit\n #\n# Note\n # Type\nint8\n# Command\n # History\n"
	                      "# History\n # Unit\nx\n# History\n # Type\n");
	char *text = hdr_format(&h, NULL);
	struct hdr back = parsed(text);

	check(DT_COMPLEX64 == back.type && same_text(back.unit, "#") &&
	                same_text(back.command, "# History") &&
	                same_text(back.history, " # Unit\nx\n # Type\n") && same_text(back.extra, h.extra),
	        "values that begin with # stay values");
	free(text);
	hdr_free(&h);
	hdr_free(&back);
}

static void test_long_history(void)
{
	struct hdr h;
	struct str s = {0};
	bool apart = true;

	hdr_init(&h);
	str_add(&s, "0123456789abcdef: x >\n");
	h.history = s.data;
	free(hdr_format(&h, &apart));
	check(!apart, "a short history stays in the header");

	while (s.len <= 64 << 10)
		str_add(&s, "0123456789abcdef: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >\n");

	h.history = s.data;
	char *text = hdr_format(&h, &apart);
	check(apart && !strstr(text, "# History"), "a history over 64 KiB goes apart");
	free(text);
	text = hdr_format(&h, NULL);
	check(strstr(text, "# History") && strlen(text) > 64 << 10, "unless there is no place for it");
	free(text);
	hdr_free(&h);
}

static void test_grid(void)
{
	struct hdr h;

	hdr_init(&h);
	hdr_set_dims(&h, 3, (const long[]){5, 10, 2});
	check(-2. == hdr_origin(&h, 0) && -4.5 == hdr_origin(&h, 1), "centred grid");
	check(100 == hdr_count(&h, "x") && 400 == hdr_bytes(&h, "x") && 3 == hdr_rank(&h),
	        "count, bytes, rank");
	check(same_text(hdr_shape(&h), "5 x 10 x 2"), "shape");

	struct hdr a = h;

	hdr_subrange(&a, 0, 0, 1, 5);
	check(!a.has_origin && !a.has_spacing, "the whole range writes nothing");
	hdr_subrange(&a, 0, 1, 1, 3);
	check(3 == a.dims[0] && !a.has_origin && -1. == hdr_origin(&a, 0), "a centred part stays centred");
	hdr_subrange(&a, 1, 4, 3, 2);
	check(2 == a.dims[1] && a.has_origin && -.5 == a.origin[1] && 3. == a.spacing[1] && a.has_spacing,
	        "a part with steps keeps its places");

	struct hdr b = h;

	hdr_subrange(&b, 1, 7, -3, 2); // 7, 4: the same grid as 4, 7
	check(b.dims[1] == a.dims[1] && b.origin[1] == a.origin[1] && b.spacing[1] == a.spacing[1],
	        "downwards is the same grid");
	hdr_subrange(&b, 0, 4, 1, 1);
	check(1 == b.dims[0] && 2. == hdr_origin(&b, 0) && 1. == b.spacing[0], "one element keeps its size");

	struct hdr s;

	hdr_init(&s);
	hdr_set_dims(&s, 1, (const long[]){9});
	hdr_set_grid(&s, 0, 0.5, 100.);

	for (long start = 0; start < 4; start++) {
		struct hdr r = s;
		hdr_subrange(&r, 0, start, 2, 3);
		bool good = true;
		for (long k = 0; k < 3; k++)
			good &= hdr_origin(&r, 0) + (double)k * r.spacing[0] ==
			        100. + .5 * (double)(start + 2 * k);
		check(good, "elements from %ld stay in place", start);
	}
}

static const struct {
	const char *text, *said;
} bad[] = {
        {"", "section '# Dimensions' is missing"},
        {"# Type\nfloat32\n", "section '# Dimensions' is missing"},
        {"hello\n", "begins with 'hello'"},
        {"# Dimensions\n", "positive integers"},
        {"# Dimensions\n0 4\n", "positive integers"},
        {"# Dimensions\n-3\n", "positive integers"},
        {"# Dimensions\n4.5\n", "positive integers"},
        {"# Dimensions\n4 x\n", "'4 x'"},
        {"# Dimensions\n99999999999999999999\n", "positive integers"},
        {"# Dimensions\n1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2\n", "more only if they are 1"},
        {"# Dimensions\n4\n# Dimensions\n4\n", "twice"},
        {"# Dimensions\n4\n# Type\nfloat\n", "'# Type' contains 'float'"},
        {"# Dimensions\n4\n# Type\nfl\033[2Joat\t\x80\n",
                "'# Type' contains 'fl\\x1b[2Joat\\t\\x80', expected bool"},
        {"\001\002 text\n# Dimensions\n4\n", "begins with '\\x01\\x02 text'"},
        {"# Dimensions\n4\n# Type\nfloat32\n# Type\nfloat64\n", "twice"},
        {"# Dimensions\n4\n# Byte-Order\nmiddle\n", "little or big"},
        {"# Dimensions\n4\n# Spacing\n0\n", "positive numbers"},
        {"# Dimensions\n4\n# Spacing\n-1\n", "positive numbers"},
        {"# Dimensions\n4\n# Spacing\nnan\n", "positive numbers"},
        {"# Dimensions\n4\n# Spacing\n1,5\n", "positive numbers"},
        {"# Dimensions\n4\n# Origin\ninf\n", "finite numbers"},
        {"# Dimensions\n4\n# Origin\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", "finite numbers"},
        {"# Dimensions\n4\n# Quantity\nnonsense\n", "'nonsense'"},
        {"# Dimensions\n4\n# Unit\n0123456789012345678901234567890123456789\n", "31 characters"},
        {"# Dimensions\n4\n# Unit\n01234567890123456789012345678901\n", "31 characters"},
        {"# Dimensions\n4\n# Detector\n3 4\n# Detector\n3 4\n", "'# Detector' appears twice"},
        {"# Dimensions\n4\n# Detector\n3\n", "COLS ROWS"},
        {"# Dimensions\n4\n# Detector\n3 0\n", "COLS ROWS"},
        {"# Dimensions\n4\n# Detector\n3 3 -1\n", "COLS ROWS"},
        {"# Dimensions\n4\n# Detector\n3 3 1 1\n", "COLS ROWS"},
};

static int which;

static void parse_bad(void)
{
	parsed(bad[which].text);
}

static void parse_zero(void)
{
	struct hdr h;

	hdr_parse(&h, "# Dimensions\n4\0\n", 16, "test.hdr");
}

static void count_too_much(void)
{
	struct hdr h = parsed("# Dimensions\n4000000000 4000000000\n");

	hdr_count(&h, "test.hdr");
}

static void bytes_too_much(void)
{
	struct hdr h = parsed("# Dimensions\n4000000000 2000000000\n");

	hdr_count(&h, "test.hdr");
	hdr_bytes(&h, "test.hdr");
}

static void test_bad(void)
{
	for (which = 0; which < (int)(sizeof bad / sizeof bad[0]); which++) {
		char name[100];

		snprintf(name, sizeof name, "refused: %.60s", bad[which].text);

		for (char *p = name; *p; p++)
			*p = '\n' == *p || '#' == *p ? '|' : *p;

		check_ends(1, bad[which].said, parse_bad, name);
	}

	check_ends(1, "zero byte", parse_zero, "refused: a zero byte");
	check_ends(1, "test.hdr", count_too_much, "refused: more elements than 63 bits count");
	check_ends(1, "test.hdr", bytes_too_much, "refused: more bytes than 63 bits count");
}

int main(void)
{
	test_bart();
	test_round_trip();
	test_order();
	test_hash_sign();
	test_long_history();
	test_grid();
	test_bad();
	return checks_failed > 0;
}
