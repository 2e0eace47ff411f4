#include "misc/formats/keys.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "misc/error.h"
#include "misc/mem.h"

static char *trimmed(const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;

	while (end > p && isspace((unsigned char)end[-1]))
		end--;

	return mem_printf("%.*s", (int)(end - p), p);
}

void keys_add(
        struct keys *k, const char *name, const char *name_end, const char *value, const char *value_end)
{
	if (0 == (k->n & (k->n - 1))) // full at powers of two
		k->v = mem_realloc(k->v, (size_t)(k->n ? 2 * k->n : 1) * sizeof *k->v);

	k->v[k->n++] = (struct key){trimmed(name, name_end), trimmed(value, value_end)};
}

void keys_free(struct keys *k)
{
	for (int i = 0; i < k->n; i++) {
		free(k->v[i].name);
		free(k->v[i].value);
	}

	free(k->v);
}

const char *keys_get(const struct keys *k, const char *name)
{
	for (int i = 0; i < k->n; i++)
		if (0 == strcasecmp(name, k->v[i].name))
			return k->v[i].value;

	return NULL;
}

const char *keys_expect(const struct keys *k, const char *name)
{
	const char *value = keys_get(k, name);

	if (!value)
		error("%s: the header lacks '%s'", k->path, name);

	return value;
}

static _Noreturn void malformed(const struct keys *k, const char *name, int n, const char *what)
{
	error("%s: '%s' is '%.60s', expected %d %s", k->path, name, keys_get(k, name), n, what);
}

bool keys_longs(const struct keys *k, const char *name, int n, long min, long v[])
{
	const char *p = keys_get(k, name);

	if (!p)
		return false;

	for (int i = 0; i < n; i++) {
		char *end;

		errno = 0;
		v[i] = strtol(p, &end, 10);

		if (end == p || errno || v[i] < min || (*end && !isspace((unsigned char)*end)))
			malformed(k, name, n, 1 == min ? "positive integers" : "integers");

		p = end;
	}

	if (p[strspn(p, " \t\r\n")])
		malformed(k, name, n, 1 == min ? "positive integers" : "integers");

	return true;
}

bool keys_doubles(const struct keys *k, const char *name, int n, double v[])
{
	const char *p = keys_get(k, name);

	if (!p)
		return false;

	for (int i = 0; i < n; i++) {
		char *end;

		v[i] = strtod(p, &end);

		if (end == p || (*end && !isspace((unsigned char)*end)))
			malformed(k, name, n, "numbers");

		p = end;
	}

	return true;
}
