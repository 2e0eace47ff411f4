/* Options of reconstructions carry who reads them: a command of one algorithm has no others, and gantry recon
 * refuses the others. */

#include "check.h"
#include "iter/recon/recon_options.h"

static struct recon_line line, own;
static const struct algorithm *chosen;

static void check_line(void)
{
	line.opts.data = (chosen->takes & TAKES_NONLINEAR) ? "transmission:1" : NULL;
	recon_line_check(&line, chosen);
	_exit(0);
}

/** Option i given to an algorithm: "not supported by" unless it reads the option. */
static void test_given(int i, const struct algorithm *a)
{
	char text[4096], part[128];
	const bool reads = 0 != (a->takes & line.need[i].takes);

	snprintf(part, sizeof part, "--%s: not supported by %s (valid: ", line.table[i].name, a->name);
	chosen = a;
	line.given[i] = true;
	status_of(check_line, text, sizeof text);
	line.given[i] = false;
	check(reads == (NULL == strstr(text, part)), "--%s of %s is %s", line.table[i].name, a->name,
	        reads ? "read" : "refused");
}

static bool has(const struct recon_line *l, const char *name)
{
	for (int i = 0; i < l->n; i++)
		if (0 == strcmp(l->table[i].name, name))
			return true;

	return false;
}

int main(void)
{
	const struct recon_tool any = {.name = "any", .details = "d"};

	recon_line_init(&line, &any, NULL);

	for (int k = 0; NULL != algorithms[k]; k++) {
		const struct algorithm *a = algorithms[k];
		const struct recon_tool t = {.name = "one", .details = "d", .algorithm = a->name};

		recon_line_init(&own, &t, a);

		for (int i = 0; i < line.n; i++) {
			const char *name = line.table[i].name;

			if (0 == strcmp(name, "algorithm"))
				continue;

			if (has(&own, name) != (0 != (a->takes & line.need[i].takes)))
				check(false, "--%s in a command of %s", name, a->name);

			if (line.need[i].alone)
				test_given(i, a);
		}

		for (const struct help_topic *h = own.topics; NULL != h->name; h++)
			check(0 != strcmp(h->name, "algorithms"),
			        "%s: a topic about the algorithms it cannot take", a->name);

		recon_line_free(&own);
	}

	recon_line_free(&line);

	return 0 != checks_failed;
}
