#include "misc/plot/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "misc/base64.h"

static const char *variable(const char *name)
{
	const char *v = getenv(name);

	return v != NULL ? v : "";
}

static int is_utf8(void)
{
	const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (int k = 0; k < 3; k++) // the first one that is set counts
		if (*variable(names[k]))
			return strcasestr(variable(names[k]), "utf-8") ||
			       strcasestr(variable(names[k]), "utf8");

	return 0;
}

enum terminal_mode terminal_detect(int fd)
{
	const char *term = variable("TERM"), *program = variable("TERM_PROGRAM");

	if (!isatty(fd))
		return TERMINAL_ASCII;

	if (*variable("TMUX") || !strncmp(term, "screen", 6)) // these do not pass pictures on
		return is_utf8() ? TERMINAL_BLOCKS : TERMINAL_ASCII;

	if (*variable("KITTY_WINDOW_ID") || strstr(term, "kitty") || strstr(term, "ghostty"))
		return TERMINAL_KITTY;

	if (strstr(term, "sixel") || !strncmp(term, "foot", 4) || !strncmp(term, "mlterm", 6) ||
	        !strcmp(program, "WezTerm"))
		return TERMINAL_SIXEL;

	return is_utf8() ? TERMINAL_BLOCKS : TERMINAL_ASCII;
}

void terminal_size(int fd, int *columns, int *rows, int *cell_width, int *cell_height)
{
	struct winsize w = {0};

	*columns = 80;
	*rows = 24;
	*cell_width = 8;
	*cell_height = 16;

	if (ioctl(fd, TIOCGWINSZ, &w) != 0 || 0 == w.ws_col || 0 == w.ws_row)
		return;

	*columns = w.ws_col;
	*rows = w.ws_row;

	if (w.ws_xpixel >= w.ws_col && w.ws_ypixel >= w.ws_row) {
		*cell_width = w.ws_xpixel / w.ws_col;
		*cell_height = w.ws_ypixel / w.ws_row;
	}
}

/* ---- text ---- */

/* The nearest of the 6 x 6 x 6 colours and 24 greys that terminals have at numbers 16 to 255. */
static int nearest_of_256(const unsigned char *rgb)
{
	int least = 3 * 256 * 256, best = 16;

	for (int k = 16; k < 256; k++) {
		int c[3];

		for (int i = 0, q = k - 16, place[3] = {36, 6, 1}; i < 3; i++) {
			int level = q / place[i] % 6;

			c[i] = k >= 232 ? 8 + 10 * (k - 232) : (level > 0 ? 55 + 40 * level : 0);
		}

		int d = 0;

		for (int i = 0; i < 3; i++)
			d += (c[i] - rgb[i]) * (c[i] - rgb[i]);

		if (d < least) {
			least = d;
			best = k;
		}
	}

	return best;
}

static void add_color(struct str *s, int ground, const unsigned char *rgb, int true_color)
{
	if (true_color)
		str_printf(s, "\033[%d;2;%d;%d;%dm", ground, rgb[0], rgb[1], rgb[2]);
	else
		str_printf(s, "\033[%d;5;%dm", ground, nearest_of_256(rgb));
}

void terminal_blocks(struct str *s, const struct terminal_picture *p, int true_color)
{
	for (int y = 0; y < p->height; y += 2) {
		int last_upper = -1, last_lower = -1;

		for (int x = 0; x < p->width; x++) {
			int upper = p->index[y * p->width + x];
			int lower = y + 1 < p->height ? p->index[(y + 1) * p->width + x] : -1;

			if (upper != last_upper)
				add_color(s, 38, p->palette[upper], true_color);

			if (lower != last_lower && lower >= 0)
				add_color(s, 48, p->palette[lower], true_color);

			str_add(s, "\u2580");
			last_upper = upper;
			last_lower = lower;
		}

		str_add(s, "\033[0m\n");
	}
}

void terminal_ascii(struct str *s, const struct terminal_picture *p)
{
	static const char ramp[] = " .:-=+*#%@";

	for (int y = 0; y < p->height; y++) {
		for (int x = 0; x < p->width; x++)
			str_addn(s, &ramp[p->index[y * p->width + x] * (int)(sizeof ramp - 1) / 256], 1);

		str_add(s, "\n");
	}
}

/* ---- pictures ---- */

/* One colour of a band of six rows, run-length coded. */
static void sixel_row(struct str *s, const struct terminal_picture *p, int top, int color)
{
	int run = 0;
	char last = 0;

	str_printf(s, "#%d", color);

	for (int x = 0; x <= p->width; x++) {
		int bits = 0;

		for (int k = 0; k < 6 && top + k < p->height && x < p->width; k++)
			bits |= (p->index[(top + k) * p->width + x] == color) << k;

		char now = (char)(63 + bits);

		if (x < p->width && now == last) {
			run++;
			continue;
		}

		if (run > 3)
			str_printf(s, "!%d%c", run, last);
		else
			for (int k = 0; k < run; k++)
				str_addn(s, &last, 1);

		last = now;
		run = 1;
	}
}

void terminal_sixel(struct str *s, const struct terminal_picture *p)
{
	str_printf(s, "\033Pq\"1;1;%d;%d", p->width, p->height);

	for (int k = 0; k < 255; k++)
		str_printf(s, "#%d;2;%d;%d;%d", k, p->palette[k][0] * 100 / 255, p->palette[k][1] * 100 / 255,
		        p->palette[k][2] * 100 / 255);

	for (int top = 0; top < p->height; top += 6) {
		unsigned char used[256] = {0};
		int last = top + 6 < p->height ? top + 6 : p->height, rows = 0;

		for (int i = top * p->width; i < last * p->width; i++)
			used[p->index[i]] = 1;

		for (int k = 0; k < 255; k++)
			if (used[k]) {
				str_add(s, rows++ > 0 ? "$" : "");
				sixel_row(s, p, top, k);
			}

		str_add(s, "-");
	}

	str_add(s, "\033\\");
}

/* Pieces of at most 4096 characters, as the protocol asks for. */
void terminal_kitty(struct str *s, const struct terminal_picture *p)
{
	enum { PIECE = 4096 };
	const long bytes = 3L * p->width * p->height;
	unsigned char *rgb = mem_alloc((size_t)bytes);

	for (long i = 0; i < bytes / 3; i++)
		memcpy(rgb + 3 * i, p->palette[p->index[i]], 3);

	char *text = base64(rgb, bytes);
	long n = (long)strlen(text);

	for (long at = 0; at < n; at += PIECE) {
		if (0 == at)
			str_printf(s, "\033_Ga=T,f=24,s=%d,v=%d,m=%d;", p->width, p->height, n > PIECE);
		else
			str_printf(s, "\033_Gm=%d;", at + PIECE < n);

		str_addn(s, text + at, (size_t)(n - at < PIECE ? n - at : PIECE));
		str_add(s, "\033\\");
	}

	str_add(s, "\n");
	free(rgb);
	free(text);
}
