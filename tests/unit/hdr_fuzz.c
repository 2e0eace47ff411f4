/*
 * Damaged header texts: hdr_parse() either ends with a sentence or gives a header that survives writing and
 * reading. Run with the sanitisers to find more than crashes. The mutations are the same on every run.
 */

#include <stdint.h>

#include "check.h"
#include "misc/file/hdr.h"
#include "misc/file/history_line.h"
#include "misc/mem.h"

static const char *const seeds[] = {
        "# Dimensions\n4 5 1 3\n# Type\nfloat64\n# Byte-Order\nbig\n# Spacing\n0.1 0.2 1 2.5\n# "
        "Origin\n-1.25 0.3 0 7\n"
        "# Quantity\nattenuation\n# Unit\n1/mm\n# Detector\n384 256 1536.5\n# Scanner\nname\n# "
        "Command\ngantry x\n"
        "# Files\n<a >b\n# Creator\ngantry 1\n# History\n0123456789abcdef: x '<a b:12:abc>' "
        "@0123456789abcdef.2 >\n",
        "# Dimensions\n256 128 1 8 1 1 1 1 1 1 1 1 1 1 1 1 \r\n# Command\r\nphantom\r\n",
};

static uint64_t state = 1;

static unsigned random_below(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void mutate(struct str *s)
{
	static const char *const pieces[] = {"# ", "\n", "\r\n", "-", "nan", "1e999", "99999999999999999999",
	        "#", " ", "'", "# Dimensions\n", "# Type\n", "0x10", "\xff\xfe", "@", "<", ">", "%s", ""};

	for (int n = 1 + (int)random_below(4); n > 0 && s->len > 0; n--) {
		unsigned at = random_below((unsigned)s->len);
		const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];
		char *tail = mem_strdup(
		        s->data + at + random_below((unsigned)s->len - at + 1) % 8 % (s->len - at + 1));

		s->len = at;
		s->data[at] = '\0';
		str_add(s, piece);
		str_add(s, tail);
		free(tail);
	}

	if (s->len > 0 && 0 == random_below(8))
		s->data[random_below((unsigned)s->len)] = (char)random_below(256);
}

/* Runs in a child, since a refused header ends the process: goes on after each refusal in a new one. */
static void parse_one(const char *text, size_t n)
{
	struct hdr h, back;
	struct history_line l;

	hdr_parse(&h, text, n, "fuzz.hdr");

	char *once = hdr_format(&h, NULL);

	hdr_parse(&back, once, strlen(once), "fuzz.hdr again");

	char *twice = hdr_format(&back, NULL);

	if (0 != strcmp(once, twice))
		_exit(99);

	if (h.history)
		history_line_free((history_line_parse(&l, h.history), &l));

	free(once);
	free(twice);
	hdr_free(&h);
	hdr_free(&back);
}

int main(void)
{
	enum { ROUNDS = 700 };
	int refused = 0, taken = 0, wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct str s = {0};
		int status;

		str_add(&s, seeds[i % 2]);
		mutate(&s);
		fflush(stdout);

		pid_t pid = fork();

		if (0 == pid) {
			if (!freopen("/dev/null", "w", stderr))
				_exit(98);

			parse_one(s.data, s.len);
			_exit(0);
		}

		waitpid(pid, &status, 0);
		refused += WIFEXITED(status) && 1 == WEXITSTATUS(status);
		taken += WIFEXITED(status) && 0 == WEXITSTATUS(status);

		if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
			wrong++;
			printf("# status %#x for:\n", status);
			for (char *p = s.data; *p; p++)
				printf(p == s.data || '\n' == p[-1] ? "#  %c" : "%c", *p);
			printf("\n");
		}

		free(s.data);
	}

	check(0 == wrong, "%d damaged headers: %d refused, %d taken, %d crashed or changed", ROUNDS, refused,
	        taken, wrong);
	check(refused > ROUNDS / 10 && taken > ROUNDS / 10, "both happened");
	return checks_failed > 0;
}
