/** The hash of a file. */

#include "misc/file.h"
#include "misc/file/history.h"
#include "misc/hash.h"
#include "misc/mem.h"

char *history_hash_file(const char *path, long *bytes)
{
	const size_t whole = (size_t)1 << 30, part = (size_t)16 << 20;
	char text[HASH_TEXT];
	size_t n;
	const char *data = file_map(path, &n);

	*bytes = (long)n;

	if (n <= whole) {
		hash_text(text, data, n);
		file_unmap(data);
		return mem_strdup(text);
	}

	struct hasher *h = hash_begin();

	hash_add(h, data, part);
	hash_add(h, data + (n - part) / 2, part);
	hash_add(h, data + n - part, part);
	hash_end(h, text);
	file_unmap(data);
	return mem_printf("part-%s", text);
}
