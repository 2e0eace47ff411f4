/* Named values in JSON, Python and KEY = VALUE lines. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ct/exchange/settings.h"

static void test_json(void)
{
	struct settings *s = settings_parse("a", "{\"type\": \"cone_vec\", \"n\": 7, \"v\": [[1, 2.5, -3e2], "
	                                         "[4, 5, 6]], \"empty\": {}, \"last\": -1}");
	const struct setting *v = settings_find(s, "v");

	check(0 == strcmp(settings_word(s, "type"), "cone_vec") && 7 == settings_count(s, "n"),
	        "words and counts");
	check(v && 6 == v->n && 3 == v->width && v->nested && -300. == v->number[2], "lists of lists");
	check(-1. == settings_number(s, "last", NAN) && 2. == settings_number(s, "absent", 2.), "numbers");
	check(!settings_find(s, "absent") && !settings_word(s, "n"), "what is not there");
	settings_free(s);
}

static void test_python(void)
{
	struct settings *s = settings_parse("a",
	        "import numpy as np # np.array\n"
	        "geo = tigre.geometry(mode='cone')\n"
	        "geo.DSD = 1536   # Distance (mm)\n"
	        "geo.off = np.array((1, 2,\n  3), dtype=np.float32)\n"
	        "ag = A.create_Cone3D([0, -1, 0], [0, 1, 0], units='mm').set_panel((4, 5)) \\\n"
	        "  .set_angles(np.array([1, 2]), angle_unit = \"radian\")\n");

	check(0 == strcmp(settings_word(s, "mode"), "cone") && 1536. == settings_number(s, "DSD", NAN),
	        "assignments and arguments");
	check(3. == settings_numbers(s, "off", 3)[2], "np.array over several lines");
	check(-1. == settings_numbers(s, "create_Cone3D.0", 3)[1] &&
	                1. == settings_numbers(s, "create_Cone3D.1", 3)[1],
	        "arguments without a name");
	check(5. == settings_numbers(s, "set_panel.0", 2)[1] &&
	                2. == settings_numbers(s, "set_angles.0", 2)[1],
	        "calls of calls");
	check(0 == strcmp(settings_word(s, "angle_unit"), "radian"), "named arguments behind them");
	settings_free(s);
}

static void test_lines(void)
{
	struct settings *s =
	        settings_parse("a", "# volume\ngeometry = cone\nphis = 0.0, 1.5e1,\t30\nsod = 10\nsdd=20\n");

	check(0 == strcmp(settings_word(s, "geometry"), "cone"), "words without quotes");
	check(3 == settings_find(s, "phis")->n && 15. == settings_find(s, "phis")->number[1],
	        "lists without brackets");
	check(10. == settings_number(s, "sod", NAN) && 20. == settings_number(s, "sdd", NAN), "next lines");
	settings_free(s);
}

static const char *value;

static void count(void)
{
	char line[64];

	snprintf(line, sizeof line, "{\"n\": %s}", value);
	settings_count(settings_parse("a", line), "n");
}

static void test_counts(void)
{
	static const char *const bad[][2] = {{"0", "n is 0, expected an integer from 1 to 2147483647"},
	        {"-3", "n is -3, expected"}, {"1.5", "n is 1.5, expected"},
	        {"2147483648", "n is 2.14748e+09, expected"}, {"nan", "a: n "},
	        {"[1, 2]", "n must be a number"}, {"\"many\"", "n must be a number"}};
	struct settings *s = settings_parse("a", "{\"n\": 2147483647, \"one\": 1}");

	check(0x7fffffff == settings_count(s, "n") && 1 == settings_count(s, "one"), "the ends of counts");
	settings_free(s);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		value = bad[i][0];
		check_ends(1, bad[i][1], count, bad[i][1]);
	}
}

static const char *text;

static void parse(void)
{
	settings_free(settings_parse("a", text));
}

static void check_refused(const char *part, const char *refused)
{
	text = refused;
	check_ends(1, part, parse, refused);
}

static void test_expressions(void)
{
	static const char *const refused[] = {"x = 1 mm\n", "x = 1_000\n", "x = 2 ** 3", "x = [1, 2] * 3",
	        "x = [1, 2][0]", "x = np.array([1]).T", "x = [2 * 3]", "f([1, 2] / 2)", "x = 1 2\n",
	        "x = 1.5.6"};

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		check_refused("is an expression or has a unit", refused[i]);

	check_refused("rows of x have 2 and 1 numbers", "x = [[1, 2], [3]]");
	check_refused("nested deeper", "x = [[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]");

	struct settings *s =
	        settings_parse("a", "x = a * 2\ny = f(3)\nz = [1 2\n3]\nw = a # b\nv = [[1, 2] [3, 4]]");

	check(!settings_word(s, "x") && 0 == settings_find(s, "x")->n, "a word in an expression is computed");
	check(settings_find(s, "y") && 0 == settings_find(s, "y")->n, "so is what a call returns");
	check(3 == settings_find(s, "z")->n && 4 == settings_find(s, "v")->n, "lists without commas");
	check(0 == strcmp(settings_word(s, "w"), "a"), "a comment is no expression");
	settings_free(s);
}

static void test_calls(void)
{
	struct settings *s =
	        settings_parse("a", "a.f(1, (2, 3), key=4).g(other=(5)) ; last = 6; f(call='word')");
	const struct setting *call = settings_find(s, SETTINGS_CALL);

	check(0 == strcmp(settings_find(s, "f.1")->call, "f") &&
	                0 == strcmp(settings_find(s, "key")->call, "f"),
	        "arguments know their call");
	check(0 == strcmp(settings_find(s, "other")->call, "g") && !settings_find(s, "last")->call,
	        "those of the next call too, and what follows belongs to none");
	check(0 == strcmp(call->word, "f") && 0 == strcmp(settings_word(s, "call"), "word"),
	        "an argument named call is no call");
	settings_free(s);
}

int main(void)
{
	test_expressions();
	test_calls();
	test_json();
	test_python();
	test_lines();
	test_counts();
	return checks_failed ? 1 : 0;
}
