/** Options of a loop before the command. */

#include <string.h>

#include "misc/error.h"
#include "misc/looping/looping.h"
#include "misc/mem.h"

/** Options before the command: they are the tool's long options, in front of its own words. */
static const struct {
	const char *brief, *name;
} loop_options[] = {{"-l", "--loop"}, {"-p", "--jobs"}};

/** The long name when `word` is such an option, alone ("-l", "--loop") or with its value ("-lz",
 * "--loop=z"); else NULL. */
static const char *loop_option(const char *word, const char **value)
{
	for (int i = 0; i < 2; i++) {
		const char *name = loop_options[i].name;
		const size_t n = strlen(name);

		*value = NULL;
		if (!strcmp(word, loop_options[i].brief) || !strcmp(word, name))
			return name;
		*value = word + (word[1] == '-' ? n + 1 : 2);
		if (word[1] == '-' ? !strncmp(word, name, n) && word[n] == '='
		                   : !strncmp(word, loop_options[i].brief, 2))
			return name;
	}
	return NULL;
}

bool looping_is_option(const char *word)
{
	const char *value;

	return NULL != loop_option(word, &value);
}

char **looping_words(int argc, char *argv[])
{
	char **words = mem_calloc((size_t)argc + 2, sizeof *words);
	const char *name, *value;
	int n = 1, i = 0;

	for (; i < argc && (name = loop_option(argv[i], &value)); i++) {
		if (!value && i + 1 == argc)
			usage_error("%s needs a value", argv[i]);
		words[n++] = mem_printf("%s=%s", name, value ? value : argv[++i]);
	}
	if (i == argc)
		usage_error("missing command after %s ('gantry help' lists them)", argv[i - 1]);
	if (*argv[i] == '-')
		usage_error(
		        "unknown option %s before the command, expected -l, --loop, -p or --jobs", argv[i]);
	words[0] = argv[i++];
	while (i < argc)
		words[n++] = argv[i++];
	return words;
}
