/* Small texts: base64, what is printable, sets of texts, fingerprints, ticks of axes. */

#include <math.h>

#include "check.h"

#include "misc/base64.h"
#include "misc/hash.h"
#include "misc/plot/ticks.h"
#include "misc/printable.h"
#include "misc/strset.h"

/* The vectors of RFC 4648, section 10, and the last two digits. */
static void test_base64(void)
{
	static const struct {
		const char *bytes, *text;
	} all[] = {{"", ""}, {"f", "Zg=="}, {"f\x6f", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
	        {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbf", "+/+/"}, {"\xff", "/w=="}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char *text = base64((const unsigned char *)all[i].bytes, (long)strlen(all[i].bytes));

		check(!strcmp(text, all[i].text), "base64 of %zu bytes: %s", strlen(all[i].bytes), text);
		free(text);
	}
}

/* ---- printable ---- */

/* The UTF-8 bytes of a code, also of those that are not allowed. */
static char *utf8(char out[5], unsigned code)
{
	const int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (int i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));

	out[0] = (char)(lead[n] | code);
	out[n] = 0;
	return out;
}

static bool steers(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || 0xfeff == c;
}

static void test_codes(void)
{
	long wrong = 0;

	for (unsigned c = 1; c < 0x120000; c += c < 0x10000 ? 1 : 61) {
		char text[5];
		bool printable;
		const bool valid = c < 0x110000 && !(c >= 0xd800 && c <= 0xdfff);
		const size_t n = printable_char(utf8(text, c), &printable);

		wrong += n != (valid ? strlen(text) : 1) || printable != (valid && !steers(c));
	}

	check(0 == wrong, "characters of UTF-8: %ld are not what they are", wrong);

	static const char *const bad[] = {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
	        "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xff",
	        "\xc3", "\xe2\x82", "\xe2\x28\xa1", "\xf0\x9f\x98", "\xc3\xc3"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		bool printable = true;

		check(1 == printable_char(bad[i], &printable) && !printable, "malformed UTF-8 %zu", i);
	}
}

static void is(struct str *s, const char *want, const char *name)
{
	const bool same = s->data && !strcmp(s->data, want);

	check(same, "%s%s%s", name, same ? "" : ": ", same ? "" : s->data ? s->data : "nothing");
	free(s->data);
	*s = (struct str){0};
}

static void test_printable(void)
{
	static const char text[] = "a\x1b[1m\n\t\r\xc3\xa9\xff\xe2\x80\xae\x7fz";
	static const char out[] = "a\\x1b[1m\\n\\t\\r\xc3\xa9\\xff\\xe2\\x80\\xae\\x7fz";
	struct str s = {0};
	char room[64];

	str_add_printable(&s, text);
	is(&s, out, "written out");
	str_add_printable_lines(&s, "a\n\tb\r\x01");
	is(&s, "a\n\tb\\r\\x01", "lines and tabs kept");
	str_add_printable(&s, "");
	is(&s, "", "no text");
	str_addn_printable(&s, "a\xc3\xa9z", 2);
	is(&s, "a", "a character that does not fit is left out");
	str_addn_printable(&s, "a\xc3\xa9z", 3);
	is(&s, "a\xc3\xa9", "one that fits is not");

	printable_copy(room, sizeof room, text);
	check(!strcmp(room, out), "copied: %s", room);

	for (size_t n = 1; n <= sizeof out; n++) {
		memset(room, '#', sizeof room);
		printable_copy(room, n, text);

		const size_t got = strlen(room);
		const bool more = n > strlen(out);

		if (got >= n || 0 != strncmp(room, out, got) || (more && got != strlen(out)) ||
		        '#' != room[n])
			check(false, "copied into %zu bytes: %s", n, room);
	}

	memset(room, '#', sizeof room);
	printable_copy(room, 5, "a\x1bz");
	check(!strcmp(room, "a"), "what is written out is not cut");
	printable_copy(room, 6, "a\x1bz");
	check(!strcmp(room, "a\\x1b"), "and fits where it just does");
}

/* ---- sets, fingerprints ---- */

static void test_strset(void)
{
	enum { N = 3000 };
	struct strset s = {0};
	long wrong = 0;

	check(!strset_has(&s, "x"), "an empty set");

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < N; i++) {
			char text[16];

			snprintf(text, sizeof text, "n%d", i);
			wrong += strset_add(&s, text) != (0 == round);
			wrong += !strset_has(&s, text);
		}

	for (int i = N; i < 2 * N; i++) {
		char text[16];

		snprintf(text, sizeof text, "n%d", i);
		wrong += strset_has(&s, text);
	}

	check(0 == wrong && N == s.n, "a set of %d texts: %ld wrong", N, wrong);
	strset_free(&s);
}

static void test_hash(void)
{
	enum { N = 5000 };
	unsigned char data[N];
	char whole[HASH_TEXT], parts[HASH_TEXT], other[HASH_TEXT];

	for (int i = 0; i < N; i++)
		data[i] = (unsigned char)(i * i >> 3);

	hash_text(whole, data, N);
	check(32 == strlen(whole) && 32 == strspn(whole, "0123456789abcdef"), "32 hex digits: %s", whole);

	for (size_t step = 1; step < N; step = 3 * step + 1) {
		struct hasher *h = hash_begin();

		for (size_t at = 0; at < N; at += step)
			hash_add(h, data + at, at + step < N ? step : N - at);

		hash_end(h, parts);
		check(!strcmp(parts, whole), "in pieces of %zu", step);
	}

	for (int i = 0; i < N; i += 977) {
		data[i] ^= 1;
		hash_text(other, data, N);
		check(strcmp(other, whole) != 0 && hash_number(data, N) != 0, "a bit of byte %d", i);
		data[i] ^= 1;
	}

	hash_text(other, data, N - 1);
	check(strcmp(other, whole) != 0, "a byte less");
}

/* ---- ticks ---- */

/* How many multiples of step are in [lo, hi]. */
static double multiples(double lo, double hi, double step)
{
	return floor(hi / step + 1e-7) - ceil(lo / step - 1e-7) + 1.;
}

/* 1, 2, 5, 10, ...; k = 0 is 1 */
static double round_number(int k)
{
	static const double factor[] = {1., 2., 5.};
	const int power = (k + 300) / 3 - 100;

	return factor[(k + 300) % 3] * pow(10., power);
}

static void test_ticks(void)
{
	static const double ranges[][2] = {{0., 1.}, {0., 10.}, {-1., 1.}, {0.03, 0.97}, {-5., 120.},
	        {1e-9, 7e-9}, {1e6, 1.5e6}, {-3.5, -3.4}};

	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
		for (int most = 2; most <= 12; most++) {
			const double lo = ranges[r][0], hi = ranges[r][1];
			double first, step;
			const int n = ticks(lo, hi, most, &first, &step);
			int k = -60;

			while (multiples(lo, hi, round_number(k)) > most)
				k++;

			const double want = round_number(k), at = ceil(lo / want - 1e-7) * want;

			check(fabs(step - want) < 1e-9 * want && fabs(first - at) < 1e-6 * want &&
			                n == (int)multiples(lo, hi, want),
			        "at most %d ticks of %g to %g: %d of %g from %g", most, lo, hi, n, step,
			        first);
		}
}

int main(void)
{
	test_base64();
	test_codes();
	test_printable();
	test_strset();
	test_hash();
	test_ticks();

	return checks_failed > 0;
}
