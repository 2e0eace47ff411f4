/* Tables whose entries can be replaced, and what --profile counts of them. */

#include <string.h>

#include "check.h"
#include "misc/error.h"
#include "misc/options/opt.h"
#include "num/device/profile.h"
#include "num/md/flpmath.h"

static long doubled;

static long plain_twice(long x)
{
	return 2 * x;
}

static void plain_note(long x)
{
	doubled = x;
}

#define TOY_ENTRIES(X)                                                                                       \
	X(twice, long, (long x), (x), x * 1000000000)                                                        \
	X(note, void, (long x), (x), 0)

struct toy_table {
	TOY_ENTRIES(PROFILE_MEMBER)
};

static struct toy_table toys = {.twice = plain_twice, .note = plain_note};

PROFILE_TABLE("toy", TOY_ENTRIES, struct toy_table, toys)

static long toy_twice(long x)
{
	return profiled(&toys)->twice(x);
}

static long calls;

static long counting_twice(long x)
{
	calls++;
	return plain_twice(x);
}

static void with_profile(void)
{
	static const struct opt opts[] = {OPT_END};
	static const struct tool tool = {.name = "toy", .about = "A toy", .opts = opts};
	static struct profile_entry span = {.module = "span", .name = "loop"};
	char *argv[] = {"toy", "--profile", NULL};
	float x[100] = {0};

	tool_init(&tool, 2, argv);

#pragma omp parallel for
	for (int i = 0; i < 1000; i++) {
		PROFILE_SPAN(&span, 3);

		if (6 != toy_twice(3))
			_exit(7);
	}

	profiled(&toys)->note(4);
	md_add(1, (const long[]){100}, x, x, x);
	leave(4 == doubled ? 0 : 8);
}

/** Line of the report on a module's entry, or "". */
static const char *line_of(const char *text, const char *module, const char *entry)
{
	static char words[64], line[256];

	for (const char *p = text; NULL != p; p = strchr(p, '\n')) {
		p += ('\n' == *p);
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		snprintf(words, sizeof words, " %-8s %-12s ", module, entry);

		if (NULL != strstr(line, words))
			return strstr(line, words) + strlen(words);
	}

	return "";
}

int main(void)
{
	char text[4096];
	int status = status_of(with_profile, text, sizeof text); // before this process uses the table
	long n = 0;
	double seconds, gb, rate;

	check(0 == status, "a command with --profile does the same work");
	check(4 == sscanf(line_of(text, "toy", "twice"), "%ld %lf %lf %lf", &n, &seconds, &gb, &rate) &&
	                1000 == n && 3000 == gb && 0 < seconds,
	        "calls, seconds and bytes of an entry, from all threads");
	check(1 == sscanf(line_of(text, "toy", "note"), "%ld", &n) && 1 == n, "an entry without a result");
	check(1 == sscanf(line_of(text, "span", "loop"), "%ld", &n) && 1000 == n,
	        "work that is not in a table");
	check(1 == sscanf(line_of(text, "md", "apply2"), "%ld", &n) && 1 == n, "the back end's table");

	check(10 == toy_twice(5) && 0 == calls, "without --profile a table is as it was");
	toys.twice = counting_twice;
	check(10 == toy_twice(5) && 1 == calls, "an entry can be replaced");
	toys.twice = plain_twice;
	check(10 == toy_twice(5) && 1 == calls, "and put back");

	return checks_failed > 0;
}
