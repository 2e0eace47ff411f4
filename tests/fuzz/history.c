/**
 * Histories, and the scripts generated from them. Each line of an input contains the words of a step. IDs are
 * filled in, because a mutation cannot guess a hash: "@#K" becomes the reference to line K, counted from 0.
 */

#include <string.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/file/history.h"
#include "misc/file/history_line.h"
#include "misc/options/commands.h"

enum { STEPS = 10 };

struct steps {
	char id[STEPS][17];
	int n;
};

/* The words of one line, references filled in. */
static void add_words(struct str *s, const struct steps *steps, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int step = (i + 2 < n && '@' == p[i] && '#' == p[i + 1]) ? p[i + 2] - '0' : -1;

		if (0 <= step && step < steps->n) {
			str_printf(s, "@%s", steps->id[step]);
			i += 2;
		} else if (p[i]) {
			str_addn(s, p + i, 1);
		}
	}
}

static char *with_ids(const char *p, size_t size)
{
	struct steps steps = {.n = 0};
	struct str all = {0};

	str_add(&all, "");

	for (const char *end = p + size; p < end && steps.n < STEPS;) {
		size_t n = strcspn(p, "\n");
		struct str words = {0};
		char *id = steps.id[steps.n];

		str_add(&words, "");
		add_words(&words, &steps, p, n);
		history_id(id, words.data, words.len);

		if ('@' == words.data[0])
			str_printf(&all, "%s\n", words.data);
		else
			str_printf(&all, "%s: %s\n", id, words.data);

		free(words.data);
		steps.n++;
		p += n + 1;
	}

	return all.data;
}

static const char table[] = "command\tcopy\tCopy\t\n"
                            "argument\tIN\t\tin\n"
                            "argument\tOUT\to\tout\n"
                            "option\tflag\t\tharmless\n"
                            "option\tname\tr\tprogram\n"
                            "command\tjoin\tJoin\t\n"
                            "argument\tIN\tm\tin\n"
                            "argument\tOUT\to\tout\n"
                            "command\tsplit\tSplit\t\n"
                            "argument\tDIM SIZE\tmp\tpairs\n"
                            "argument\tOUT\to\tout\n"
                            "argument\tMORE\t?o\tout\n";

/* Does a line of a script begin as one may? */
static bool is_expected(const char *line)
{
	static const char *const beginnings[] = {"#", "gantry copy ", "gantry join ", "gantry split ",
	        "gantry history --verify '<", "set -eu\n", "nl='\n", "'\n", "trap '", "echo 'step ",
	        "exit 1\n"};

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (0 == strncmp(line, beginnings[i], strlen(beginnings[i])))
			return true;

	return false;
}

static void check_script(const char *text)
{
	for (const char *p = text; *p; p++)
		FUZZ_EXPECT('\n' == *p || (unsigned char)*p >= 0x20, "a control character in a script");

	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		FUZZ_EXPECT(is_expected(line), "a line of a script that nobody has checked");
}

static void script(void *ctx)
{
	char *history = with_ids(ctx, strlen(ctx));
	struct commands known;

	commands_parse(&known, mem_strdup(table), "table");
	free(history_last(history));

	char *text = history_script(history, "result", &known);

	check_script(text);
	commands_free(&known);
	free(text);
	free(history);
}

/* As it is: damaged lines. */
static void lines(void *ctx)
{
	struct history_line l;
	struct history_word w;

	history_line_parse(&l, ctx);
	history_line_free(&l);

	if (history_original_parse(&w, ctx)) {
		struct str s = {0};

		history_original_format(&s, w.text, w.bytes, w.hash);
		free(s.data);
	}

	free(w.option);
	free(w.text);
	free(w.hash);
	free(history_last(ctx));
	free(history_script(ctx, "result", NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	FUZZ_EXPECT(
	        EXIT_USAGE != fuzz_run(script, text), "a history is called a mistake of the command line");
	FUZZ_EXPECT(EXIT_USAGE != fuzz_run(lines, text), "a history is called a mistake of the command line");
	free(text);
	return 0;
}
