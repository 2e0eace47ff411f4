/** Long histories in separate files. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/history.h"
#include "misc/hash.h"
#include "misc/mem.h"

static const char beside[] = "beside ";

char *history_pointer(const char *history)
{
	char hash[HASH_TEXT];

	hash_text(hash, history, strlen(history));
	return mem_printf("%s%zu %s\n", beside, strlen(history), hash);
}

/* The text of an open file when its pointer line is this one; else NULL. */
static char *load_beside(int fd, const char *pointer, const char *path)
{
	long bytes;

	if (fd < 0)
		return NULL;

	char *text = file_read_fd(fd, LONG_MAX - 1, &bytes, path);
	char *line = history_pointer(text);
	bool same = 0 == strcmp(line, pointer);

	free(line);

	if (same)
		return text;

	free(text);
	return NULL;
}

bool history_stands_beside(const char *pointer, const char *path)
{
	int fd = file_open(path);
	char *text = load_beside(fd, pointer, path);

	if (fd >= 0)
		close(fd);

	free(text);
	return NULL != text;
}

void history_load(struct hdr *h, const int candidates[2], const char *path)
{
	if (!h->history || 0 != strncmp(h->history, beside, strlen(beside)))
		return;

	char *text = NULL;

	for (int i = 0; i < 2 && !text; i++)
		text = load_beside(candidates[i], h->history, path);

	if (!text)
		warn("%s is missing or is not the history of this array (continuing without a history)",
		        path);

	free(h->history);
	h->history = text;
}
