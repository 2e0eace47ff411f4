/* Tables of numbers from CSV and JSON lines. */

#include <math.h>

#include "check.h"

#include "misc/mem.h"
#include "misc/table.h"

static char folder[SCRATCH];

static struct table *read_text(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	if (!f || EOF == fputs(text, f) || 0 != fclose(f))
		abort();

	struct table *t = table_read(path);

	unlink(path);
	free(path);
	return t;
}

/* Columns "a", "b" and "c" hold these numbers, row by row. */
static void expect(const char *what, const char *name, const char *text, long rows, const double v[][3])
{
	static const char *const names[] = {"a", "b", "c"};
	struct table *t = read_text(name, text);
	long wrong = 0;

	check(3 == t->columns && rows == t->rows, "%s: %d columns, %ld rows", what, t->columns, t->rows);

	for (int c = 0; c < 3; c++) {
		const int k = table_find(t, names[c]);

		for (long i = 0; i < rows && i < t->rows; i++)
			wrong += k < 0 ||
			         !(t->column[k][i] == v[i][c] || (isnan(v[i][c]) && isnan(t->column[k][i])));
	}

	check(0 == wrong, "%s: %ld of its numbers are wrong", what, wrong);
	check(table_find(t, "d") < 0 && table_find(t, "") < 0, "%s: no other column", what);
	table_free(t);
}

static void test_csv(void)
{
	expect("CSV", "x.csv", "a,b,c\n1,2,3\n-4,5e-3,+6.25\n", 2,
	        (const double[][3]){{1, 2, 3}, {-4, 5e-3, 6.25}});
	expect("CSV of other programs", "x.CSV", "\"a\"; b ;\" c \"\n\"1\"; 2 ;3\n\n4;5;6", 2,
	        (const double[][3]){{1, 2, 3}, {4, 5, 6}});
	expect("CSV with gaps", "x.csv", "a,b,c\n,2,x\n1 2,nan,3kV\ninf,0x10,.5\n", 3,
	        (const double[][3]){{NAN, 2, NAN}, {NAN, NAN, NAN}, {INFINITY, 16, 0.5}});
}

static void test_json(void)
{
	expect("JSON lines", "x.jsonl", "{\"a\": 1, \"b\": 2, \"c\": 3}\n{\"c\":-6,\"b\":5e-3,\"a\":4}\n", 2,
	        (const double[][3]){{1, 2, 3}, {4, 5e-3, -6}});
	expect("JSON lines with gaps", "x.ndjson",
	        "{\"a\": 1}\n\n {\"b\": 2, \"a\": null} \n{}\n{\"c\": 3, \"a\": \"words\", \"b\": true}", 4,
	        (const double[][3]){{1, NAN, NAN}, {NAN, 2, NAN}, {NAN, NAN, NAN}, {NAN, NAN, 3}});
}

static void more(void)
{
	read_text("x.csv", "a,b\n1,2\n1,2,3\n");
}

static void fewer_fields(void)
{
	read_text("x.csv", "a,b\n1\n");
}

static void no_object(void)
{
	read_text("x.jsonl", "{\"a\": 1}\n[1]\n");
}

static void no_end(void)
{
	read_text("x.jsonl", "{\"a\": 1\n");
}

static void brace(void)
{
	read_text("x.jsonl", "{\n");
}

static void no_colon(void)
{
	read_text("x.jsonl", "{\"a\": 1}\n{\"b\": 2, \"c\"}\n");
}

static void no_rows(void)
{
	read_text("x.csv", "a,b,c\n");
}

static void missing(void)
{
	table_read("/nowhere/x.csv");
}

int main(void)
{
	if (!mkdtemp(scratch_name(folder)))
		abort();

	test_csv();
	test_json();
	check_ends(1, "x.csv: line 3 has more than the 2 fields of the first line", more, "a field too many");
	check_ends(1, "x.csv: line 2 has 1 fields, expected 2", fewer_fields, "a field too few");
	check_ends(1, "x.jsonl: line 2 is not a JSON object", no_object, "a list");
	check_ends(1, "x.jsonl: line 1 is not a JSON object", no_end, "an object without an end");
	check_ends(1, "x.jsonl: line 1 is not a JSON object", brace, "a brace");
	check_ends(1, "x.jsonl: line 2: ' \"c\"', expected \"name\": number", no_colon, "a name alone");
	check_ends(1, "/nowhere/x.csv", missing, "no file");
	check_ends(1, "x.csv contains no line of numbers", no_rows, "names alone");

	static const char *const yes[] = {"a.csv", "b.CSV", "c.jsonl", "d.ndjson", "e.json"};
	static const char *const no[] = {"csv", ".csv", "a.csv.txt", "a.cfl", "a", "ajson", ""};

	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		check(table_knows(yes[i]), "%s is a table", yes[i]);

	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		check(!table_knows(no[i]), "'%s' is none", no[i]);

	char *clean = mem_printf("rm -r '%s'", folder);

	check(0 == system(clean), "the folder is removed");
	free(clean);
	return checks_failed > 0;
}
