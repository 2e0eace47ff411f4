/** The history of an output, made from the words of the command line and the histories of the inputs. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl_io.h"
#include "misc/file/history.h"
#include "misc/file/history_line.h"
#include "misc/file/resident.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "misc/options/opt.h"

struct input {
	char *name;
	char *word;    // "@ID", "@ID.2" or "<NAME:BYTES:HASH>"; made when needed
	char *history; // NULL for an original
	char *path;    // of the data; NULL for a stream
	long bytes;
	struct input *next;
};

static struct input *inputs;

/* The last line of a text that ends with a line feed or not. */
static const char *last_line(const char *text)
{
	const char *line = text;

	for (const char *p = strchr(text, '\n'); p && p[1]; p = strchr(p + 1, '\n'))
		line = p + 1;

	return line;
}

char *history_last(const char *history)
{
	if (!history)
		return NULL;

	const char *line = last_line(history);
	int n = (int)strcspn(line, "\n");

	if ('@' == *line)
		return mem_printf("%.*s", n, line);

	return history_is_step(line) ? mem_printf("@%.16s", line) : NULL;
}

/* An original's name in an empty folder that holds the originals: as typed when that leads nowhere else.
 * Arrays lose .cfl and .hdr. */
static char *portable_name(const char *name, bool array)
{
	while (0 == strncmp(name, "./", 2))
		name += 2;

	bool outside = '/' == *name || 0 == strcmp(name, "..") || 0 == strncmp(name, "../", 3) ||
	               strstr(name, "/../");
	const char *slash = outside ? strrchr(name, '/') : NULL;
	char *portable = mem_strdup(slash && slash[1] ? slash + 1 : name);
	size_t n = strlen(portable);

	if (array && n > 4 &&
	        (0 == strcmp(portable + n - 4, ".cfl") || 0 == strcmp(portable + n - 4, ".hdr")))
		portable[n - 4] = '\0';

	return portable;
}

/* "<NAME:BYTES:HASH>" of data at `path`, or without a hash where there is no file (NULL: a stream). */
static char *original_word(const char *name, bool array, const char *path, long bytes)
{
	struct str s = {0};
	struct stat st;
	char *portable = portable_name(name, array);
	char *hash = NULL;

	const bool there = path && 0 != strcmp(name, "-") && 0 == stat(path, &st);

	if (!path || 0 == strcmp(name, "-") || (there && S_ISFIFO(st.st_mode))) {
		hash = mem_strdup("unhashed");
	} else if (there && S_ISDIR(st.st_mode)) {
		bytes = 0;
		hash = mem_strdup("folder");
	} else {
		hash = history_hash_file(path, &bytes);
	}

	history_original_format(&s, portable, bytes, hash);
	free(portable);
	free(hash);
	return s.data;
}

void history_input(const char *name, const struct hdr *h, const char *data_path)
{
	struct input *in = NEW(struct input);

	in->name = mem_strdup(name);
	in->word = history_last(h->history);
	in->history = in->word ? mem_strdup(h->history) : NULL;
	in->path = data_path ? mem_strdup(data_path) : NULL;
	in->bytes = hdr_bytes(h, name);
	in->next = inputs;
	inputs = in;
}

void history_reset(void)
{
	while (inputs) {
		struct input *in = inputs;

		inputs = in->next;
		free(in->name);
		free(in->word);
		free(in->history);
		free(in->path);
		free(in);
	}
}

/* An array of the command line that the tool did not open itself. */
static void look_at_input(const char *name)
{
	struct hdr h;
	long offset;
	bool c_order;
	char *path = NULL;

	if (resident_is_name(name))
		resident_release(resident_open(name, &h));
	else
		close(cfl_open_file(name, &h, &offset, &c_order, &path));

	history_input(name, &h, path);
	hdr_free(&h);
	free(path);
}

static struct input *find_input(const char *name)
{
	for (struct input *in = inputs; in; in = in->next)
		if (0 == strcmp(in->name, name))
			return in;

	return NULL;
}

static struct input *get_input(const char *name)
{
	if (!find_input(name) && 0 != strcmp(name, "-"))
		look_at_input(name);

	return find_input(name);
}

static const char *input_word(struct input *in)
{
	if (!in->word)
		in->word = original_word(in->name, true, in->path, in->bytes);

	return in->word;
}

/* The IDs of a growing history, to leave out what is there already: open addressing. */
struct ids {
	size_t room, n;
	unsigned long *table; // 0 = free
};

static bool add_id(struct ids *set, unsigned long id)
{
	if (2 * set->n >= set->room) {
		struct ids old = *set;

		*set = (struct ids){.room = old.room ? 2 * old.room : 64};
		set->table = mem_calloc(set->room, sizeof *set->table);

		for (size_t i = 0; i < old.room; i++)
			if (old.table[i])
				add_id(set, old.table[i]);

		free(old.table);
	}

	id += !id;
	size_t i = id & (set->room - 1);

	for (; set->table[i] && set->table[i] != id; i = (i + 1) & (set->room - 1))
		;

	bool new = !set->table[i];

	set->table[i] = id;
	set->n += new;
	return new;
}

/* Adds the steps of `history` that are not in yet; the reference that may end it is not a step. */
static void merge(struct str *s, struct ids *set, const char *history)
{
	for (const char *line = history; line && *line;) {
		const char *end = strchr(line, '\n');
		size_t n = end ? (size_t)(end - line) : strlen(line);

		if (history_is_step(line) && add_id(set, strtoul(line, NULL, 16))) {
			str_addn(s, line, n);
			str_add(s, "\n");
		}

		line = end ? end + 1 : NULL;
	}
}

static void add_word(struct str *s, const struct tool_word *w, int output, int outputs)
{
	if (w->option) {
		str_add(s, w->option);

		if (!w->text)
			return;

		str_add(s, "=");
	}

	if (WORD_TEXT == w->kind) {
		history_quote(s, w->text);
	} else if (WORD_OUTPUT == w->kind) {
		str_add(s, ">");

		if (outputs > 1)
			str_printf(s, "%d", output);
	} else {
		struct input *in = WORD_ARRAY == w->kind ? get_input(w->text) : NULL;
		char *word = in ? mem_strdup(input_word(in))
		                : original_word(w->text, WORD_ARRAY == w->kind, w->text, 0);

		str_add(s, word);
		free(word);
	}
}

/* The step that runs now, without its ID. */
static char *own_step(const struct tool_word *words, int n, int outputs)
{
	struct str s = {0};
	int output = 0;

	str_add(&s, tool_current()->name);

	for (int i = 0; i < n; i++) {
		output += WORD_OUTPUT == words[i].kind;
		str_add(&s, " ");
		add_word(&s, &words[i], output, outputs);
	}

	return s.data;
}

static char *files_line(const struct tool_word *words, int n)
{
	struct str s = {0};

	for (int i = 0; i < n; i++) {
		if (WORD_TEXT == words[i].kind || !words[i].text)
			continue;

		str_add(&s, s.len ? " " : "");
		str_add(&s, WORD_OUTPUT == words[i].kind ? ">" : "<");
		str_add_shell(&s, words[i].text);
	}

	return s.data;
}

static void set(char **field, char *value)
{
	free(*field);
	*field = value;
}

void history_output(struct hdr *h, const char *name)
{
	const struct tool_word *words;

	if (!tool_current())
		return; // a program that uses the library without a command line

	int n = tool_words(&words);
	int outputs = 0, own = 0;

	for (int i = 0; i < n; i++) {
		if (WORD_OUTPUT != words[i].kind)
			continue;

		outputs++;

		if (!own && 0 == strcmp(words[i].text, name))
			own = outputs;
	}

	char *step = own_step(words, n, outputs); // looks at all inputs
	struct str history = {0};
	struct ids seen = {0};
	char id[17];

	for (int i = 0; i < n; i++) {
		const struct input *in = WORD_ARRAY == words[i].kind ? find_input(words[i].text) : NULL;

		if (in)
			merge(&history, &seen, in->history);
	}

	history_id(id, step, strlen(step));
	str_printf(&history, "%s: %s\n", id, step);

	if (outputs > 1)
		str_printf(&history, "@%s.%d\n", id, own);

	set(&h->history, history.data);
	set(&h->command, mem_strdup(tool_command_line()));
	set(&h->files, files_line(words, n));
	set(&h->creator, mem_strdup("gantry " GANTRY_VERSION));
	free(step);
	free(seen.table);
}
