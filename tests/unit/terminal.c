/* Which pictures a terminal shows, how large it is, and the text that they are. */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "check.h"

#include "misc/plot/terminal.h"

static const char *const variables[] = {
        "LC_ALL", "LC_CTYPE", "LANG", "TERM", "TERM_PROGRAM", "TMUX", "KITTY_WINDOW_ID"};

enum { VARIABLES = sizeof variables / sizeof *variables };

/* The environment holds these variables, in the order above, and no others of them. */
static enum terminal_mode mode_of(int fd, const char *const values[VARIABLES])
{
	for (int i = 0; i < VARIABLES; i++) {
		unsetenv(variables[i]);

		if (values[i])
			setenv(variables[i], values[i], 1);
	}

	return terminal_detect(fd);
}

static void test_detect(int tty)
{
	static const struct {
		enum terminal_mode mode;
		const char *values[VARIABLES], *name;
	} all[] = {
	        {TERMINAL_ASCII, {0}, "nothing said"},
	        {TERMINAL_BLOCKS, {NULL, NULL, "C.UTF-8"}, "LANG of UTF-8"},
	        {TERMINAL_BLOCKS, {NULL, "de_DE.utf8", "C"}, "LC_CTYPE before LANG"},
	        {TERMINAL_ASCII, {"C", "C.UTF-8", "C.UTF-8"}, "LC_ALL before both"},
	        {TERMINAL_BLOCKS, {"", "", "en_GB.UTF-8"}, "empty ones do not count"},
	        {TERMINAL_KITTY, {NULL, NULL, NULL, "xterm-kitty"}, "kitty"},
	        {TERMINAL_KITTY, {NULL, NULL, NULL, "xterm-ghostty"}, "ghostty"},
	        {TERMINAL_KITTY, {NULL, NULL, NULL, "xterm", NULL, NULL, "1"}, "a window of kitty"},
	        {TERMINAL_SIXEL, {NULL, NULL, NULL, "foot-extra"}, "foot"},
	        {TERMINAL_SIXEL, {NULL, NULL, NULL, "mlterm"}, "mlterm"},
	        {TERMINAL_SIXEL, {NULL, NULL, NULL, "xterm-sixel"}, "sixel by name"},
	        {TERMINAL_SIXEL, {NULL, NULL, NULL, "xterm", "WezTerm"}, "WezTerm"},
	        {TERMINAL_BLOCKS, {NULL, NULL, "C.UTF-8", "xterm-256color", "other"}, "another terminal"},
	        {TERMINAL_BLOCKS, {NULL, NULL, "C.UTF-8", "xterm-kitty", NULL, "x", "1"}, "inside of tmux"},
	        {TERMINAL_ASCII, {NULL, NULL, "C", "xterm-kitty", NULL, "x", "1"},
	                "inside of tmux, no UTF-8"},
	        {TERMINAL_BLOCKS, {NULL, NULL, "C.UTF-8", "screen.xterm-kitty"}, "inside of screen"},
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		check(all[i].mode == mode_of(tty, all[i].values), "a terminal: %s", all[i].name);

		int file = open("/dev/null", O_WRONLY);

		check(TERMINAL_ASCII == mode_of(file, all[i].values), "no terminal: %s", all[i].name);
		close(file);
	}
}

static void size_is(int fd, int columns, int rows, int width, int height, const char *name)
{
	int v[4] = {0};

	terminal_size(fd, &v[0], &v[1], &v[2], &v[3]);
	check(columns == v[0] && rows == v[1] && width == v[2] && height == v[3], "%s: %d x %d of %d x %d",
	        name, v[0], v[1], v[2], v[3]);
}

static void test_size(int tty, int other)
{
	static const struct {
		struct winsize w; // rows first
		int v[4];
	} all[] = {{{30, 100, 900, 600}, {100, 30, 9, 20}}, {{30, 100, 0, 0}, {100, 30, 8, 16}},
	        {{30, 100, 99, 600}, {100, 30, 8, 16}}, {{30, 100, 900, 29}, {100, 30, 8, 16}},
	        {{30, 100, 100, 30}, {100, 30, 1, 1}}, {{0, 100, 900, 600}, {80, 24, 8, 16}},
	        {{30, 0, 900, 600}, {80, 24, 8, 16}}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		ioctl(other, TIOCSWINSZ, &all[i].w);
		size_is(tty, all[i].v[0], all[i].v[1], all[i].v[2], all[i].v[3], "the size of a terminal");
	}

	int file = open("/dev/null", O_WRONLY);

	size_is(file, 80, 24, 8, 16, "the size of no terminal");
	close(file);
}

/* ---- pictures ---- */

static void is(struct str *s, const char *want, const char *name)
{
	const bool same = !strcmp(s->data, want);

	check(same, "%s", name);
	free(s->data);
	*s = (struct str){0};
}

/* Colours of the 256 that xterm has: the cube 0, 95, 135, 175, 215, 255 from 16 on, greys 8, 18, .. from 232.
 */
static void test_colours(void)
{
	static const struct {
		unsigned char rgb[3];
		int number;
	} all[] = {{{0, 0, 0}, 16}, {{255, 255, 255}, 231}, {{95, 0, 0}, 52}, {{0, 95, 0}, 22},
	        {{0, 0, 95}, 17}, {{255, 135, 0}, 208}, {{250, 140, 10}, 208}, {{8, 8, 8}, 232},
	        {{238, 238, 238}, 255}, {{120, 120, 121}, 243}, {{47, 255, 0}, 46}, {{48, 255, 0}, 82},
	        {{215, 175, 135}, 180}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct terminal_picture p = {.width = 1, .height = 1, .index = (const unsigned char[]){7}};
		struct str s = {0};
		char want[64];

		memcpy(p.palette[7], all[i].rgb, 3);
		snprintf(want, sizeof want, "\033[38;5;%dm\u2580\033[0m\n", all[i].number);
		terminal_blocks(&s, &p, 0);
		is(&s, want, "the nearest of 256 colours");
	}
}

static void test_texts(void)
{
	static const unsigned char index[] = {0, 0, 1, 0, 1, 1, 2, 2, 2};
	struct terminal_picture p = {.width = 3, .height = 3, .index = index};
	struct str s = {0};

	for (int k = 0; k < 3; k++)
		memset(p.palette[k], 100 * k, 3);

	terminal_blocks(&s, &p, 1);
	is(&s,
	        "\033[38;2;0;0;0m\033[48;2;0;0;0m\u2580\033[48;2;100;100;100m\u2580\033[38;2;100;100;"
	        "100m\u2580\033[0m\n"
	        "\033[38;2;200;200;200m\u2580\u2580\u2580\033[0m\n",
	        "blocks: colours are said where they change");

	const unsigned char levels[] = {0, 25, 26, 51, 52, 128, 230, 231, 255};

	p.index = levels;
	terminal_ascii(&s, &p);
	is(&s, "  .\n.:+\n%@@\n", "characters, darker for smaller indices");
}

/* The pieces of kitty's protocol: at most 4096 characters each, the last one says so. */
static void test_kitty(void)
{
	for (int height = 30; height <= 70; height++) {
		unsigned char index[32 * 70] = {0};
		struct terminal_picture p = {.width = 32, .height = height, .index = index};
		struct str s = {0};

		terminal_kitty(&s, &p);

		long characters = 0, pieces = 0, last = 0, longest = 0;

		for (const char *at = s.data; NULL != (at = strstr(at, "\033_G")); pieces++) {
			const char *text = strchr(at, ';') + 1;
			const long n = strstr(text, "\033\\") - text;

			last += '0' == text[-2];
			characters += n;
			longest = n > longest ? n : longest;
			at = text;
		}

		check(4L * 32 * height == characters && longest <= 4096 &&
		                pieces == (characters + 4095) / 4096 && 1 == last &&
		                '\n' == s.data[s.len - 1],
		        "kitty: %d rows in %ld pieces", height, pieces);
		free(s.data);
	}
}

int main(void)
{
	const int other = posix_openpt(O_RDWR | O_NOCTTY);

	if (other < 0 || 0 != grantpt(other) || 0 != unlockpt(other)) {
		check(true, "no pseudo terminals here");
	} else {
		const int tty = open(ptsname(other), O_RDWR | O_NOCTTY);

		test_detect(tty);
		test_size(tty, other);
		close(tty);
		close(other);
	}

	test_colours();
	test_texts();
	test_kitty();
	return checks_failed > 0;
}
