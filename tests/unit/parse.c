/** Tests of the small grammars of the command line. */

#include <complex.h>
#include <math.h>

#include "check.h"
#include "misc/options/parse.h"

static const char *word; // what the next refused call gets
static const char *const bad_longs[] = {
        "", " 1", "1 ", "x", "1.0", "0x10", "1e3", "9223372036854775808", "--1", "+-1", "-"};
static const char *const bad_doubles[] = {
        "", " 1", "1 ", "nan", "inf", "-inf", "0x1p3", "1e999", "1e", ".", "1,5", "-", "1.2.3", "e5"};
static const char *const bad_complex[] = {
        "", "1+2", "i1", "1+2i3", "1 + 2i", "nan", "inf", "1e999i", "1++2i", "2j"};
static const char *const bad_dims[] = {"16", "-1", "w", "", "X", "0x1", "1.0", "views"};
static const char *const bad_dim_lists[] = {"", ",", "0,", "0,0", "x,0", "0;1"};
static const char *const bad_ranges[] = {
        "", "10", "-11", "0:11", "-11:", "3:3", "4:3", "3:4:-1", "1:2:3:4", "1:2:0", "a:b", "0:1:x", ":::"};
static const char *const bad_sizes[] = {"", "x", "-1", "1Q", "1KK", "1iB", "9E9E", "1e30", ".", "16E", "8E"};

static void call_long(void)
{
	parse_long(word, "N");
}

static void call_double(void)
{
	parse_double(word, "X");
}

static void call_complex(void)
{
	parse_complex(word, "Z");
}

static void call_dim(void)
{
	parse_dim(word, "DIM");
}

static void call_dims(void)
{
	parse_dims(word, "DIMS");
}

static void call_range(void)
{
	long a, b, c;
	parse_range(word, 10, &a, &b, &c, "RANGE");
}

static void call_bytes(void)
{
	parse_bytes(word, "SIZE");
}

static void call_longs(void)
{
	long v[3];
	parse_longs(word, 3, v, "SIZE");
}

/** Each of the words ends with exit status 2 and names the option. */
static void all_refused(const char *what, void (*fn)(void), const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[128], start[64];
		word = words[i];
		snprintf(name, sizeof name, "%s refuses '%s'", what, word);
		snprintf(start, sizeof start, "gantry: %s: ", what);
		check_ends(2, start, fn, name);
	}
}

#define REFUSED(what, fn, words) all_refused(what, fn, words, sizeof words / sizeof words[0])

static void test_numbers(void)
{
	check(parse_long("-12", "n") == -12 && parse_long("+7", "n") == 7 && parse_long("007", "n") == 7,
	        "whole numbers");
	check(parse_long("9223372036854775807", "n") == 9223372036854775807L, "the largest whole number");
	check(parse_double("-.5", "x") == -0.5 && parse_double("1e3", "x") == 1000. &&
	                parse_double("2.", "x") == 2.,
	        "decimals");
	check(parse_double("1e-400", "x") == 0., "a number below all others is 0");
	check(parse_double_inf("-inf", "x") == -INFINITY && parse_double_inf("3", "x") == 3.,
	        "infinity where allowed");
	REFUSED("N", call_long, bad_longs);
	REFUSED("X", call_double, bad_doubles);
}

static void test_complex(void)
{
	static const struct {
		const char *text;
		double re, im;
	} good[] = {{"2", 2, 0}, {"-1.5", -1.5, 0}, {"1+2i", 1, 2}, {"-1-2i", -1, -2}, {"3i", 0, 3},
	        {"-3i", 0, -3}, {"i", 0, 1}, {"-i", 0, -1}, {"1+i", 1, 1}, {"1e2-1e-1i", 100, -0.1},
	        {"-1+2i", -1, 2}, {"-.5", -.5, 0}, {"0-0i", 0, 0}};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		const complex double z = parse_complex(good[i].text, "z");
		check(creal(z) == good[i].re && cimag(z) == good[i].im, "complex %s", good[i].text);
	}
	REFUSED("Z", call_complex, bad_complex);
}

static void test_lists(void)
{
	long v[4];
	double x[4];

	check(parse_longs("256:128:64", 4, v, "s") == 3 && v[0] == 256 && v[1] == 128 && v[2] == 64,
	        "sizes with colons");
	check(parse_doubles("-0.5:1e1", 4, x, "s") == 2 && x[0] == -0.5 && x[1] == 10.,
	        "lengths with colons");
	word = "1:2:3:4";
	check_ends(2, "more than 3", call_longs, "too many numbers in a list");
	word = "1::3";
	check_ends(2, "SIZE", call_longs, "an empty number in a list");

	char digits[257] = "";

	memset(digits, '0', 255);
	digits[254] = '7';
	check(1 == parse_longs(digits, 4, v, "s") && 7 == v[0], "a number of 255 characters");
	digits[255] = '0';
	word = digits;
	check_ends(2, "not a list of numbers", call_longs, "one of 256");
}

static void test_dims(void)
{
	static const char *const names[] = {"x", "u", "y", "v", "z", "view", "channel", "time", "0", "15"};
	static const int dims[] = {0, 0, 1, 1, 2, 2, 3, 4, 0, 15};

	for (int i = 0; i < 10; i++)
		check(parse_dim(names[i], "d") == dims[i], "dimension %s", names[i]);
	check(parse_dims("0,2", "d") == 5 && parse_dims("z,x", "d") == 5 && parse_dims("time", "d") == 16,
	        "lists of dimensions");
	REFUSED("DIM", call_dim, bad_dims);
	REFUSED("DIMS", call_dims, bad_dim_lists);
}

static void test_ranges(void)
{
	static const struct {
		const char *text;
		long start, step, count;
	} good[] = {{"3", 3, 1, 1}, {"-1", 9, 1, 1}, {":", 0, 1, 10}, {"2:5", 2, 1, 3}, {"2:", 2, 1, 8},
	        {":5", 0, 1, 5}, {"-3:", 7, 1, 3}, {":-3", 0, 1, 7}, {"0:10:3", 0, 3, 4}, {"0:9:3", 0, 3, 3},
	        {"::-1", 9, -1, 10}, {"5:0:-1", 5, -1, 5}, {"5::-2", 5, -2, 3}, {"8:2:-3", 8, -3, 2},
	        {"::", 0, 1, 10}, {"0:10:9223372036854775807", 0, 9223372036854775807, 1},
	        {"9:0:-9223372036854775808", 9, (-9223372036854775807 - 1), 1}};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		long start, step, count;
		parse_range(good[i].text, 10, &start, &step, &count, "r");
		check(start == good[i].start && step == good[i].step && count == good[i].count, "range %s",
		        good[i].text);
	}
	REFUSED("RANGE", call_range, bad_ranges);

	long n;
	long *list = parse_index_list("0,5:8,-1,3:1:-1", 10, &n, "l");
	static const long want[] = {0, 5, 6, 7, 9, 3, 2};
	check(n == 7 && !memcmp(list, want, sizeof want), "a list of ranges");
	free(list);
}

static void test_names(void)
{
	static const char *const names[] = {
	        "project", "backproject", "phantom", "cg", "wls", "transpose", "zeros", "show", NULL};
	static const char *const pairs[][2] = {{"phantm", "phantom"}, {"projcet", "project"},
	        {"zeroes", "zeros"}, {"transpsoe", "transpose"}, {"gc", "cg"}, {"PROJECT", "project"},
	        {"backproj", "backproject"}, {"xyzzy", NULL}, {"q", NULL}};

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		const char *near = nearest_name(pairs[i][0], names);
		const char *want = pairs[i][1];
		check(want ? near && !strcmp(near, want) : !near, "nearest to %s is %s", pairs[i][0],
		        near ? near : "nothing");
	}
}

static void test_bytes(void)
{
	check(parse_bytes("1000000", "b") == 1000000, "bytes");
	check(parse_bytes("4G", "b") == 4L << 30 && parse_bytes("512m", "b") == 512L << 20, "4G and 512m");
	check(parse_bytes("1.5GiB", "b") == 3L << 29 && parse_bytes("2kb", "b") == 2048 &&
	                parse_bytes("7B", "b") == 7,
	        "1.5GiB, 2kb and 7B");
	check(!strcmp(human_bytes(1.5 * (1L << 30)), "1.5 GiB") &&
	                !strcmp(human_bytes(200. * (1L << 20)), "200 MiB"),
	        "sizes for people");
	check(!strcmp(human_bytes(12), "12 bytes") && !strcmp(human_bytes(1023.9), "1.0 KiB"),
	        "small sizes for people");
	REFUSED("SIZE", call_bytes, bad_sizes);
}

int main(void)
{
	test_numbers();
	test_complex();
	test_lists();
	test_dims();
	test_ranges();
	test_names();
	test_bytes();
	return checks_failed > 0;
}
