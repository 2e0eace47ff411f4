/* Named values in JSON, Python and KEY = VALUE lines. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linops/xray/settings.h"

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

int main(void)
{
	test_json();
	test_python();
	test_lines();
	return checks_failed ? 1 : 0;
}
