#include "misc/options/pager.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NOT_FOUND = 127 << 8 }; // what pclose() says where the shell found no such program

static long lines_of(const char *text)
{
	long n = 0;

	for (; *text; text++)
		n += (*text == '\n');
	return n;
}

static bool fits(const char *text)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || !w.ws_row)
		return true;
	return lines_of(text) < w.ws_row;
}

static const char *pager(void)
{
	const char *own = getenv("GANTRY_PAGER"), *common = getenv("PAGER");

	if (own)
		return own;
	return common && *common ? common : "less -FRX";
}

void page_text(const char *text)
{
	FILE *to = (fits(text) || !*pager()) ? NULL : popen(pager(), "w");
	int status = NOT_FOUND;

	if (to) {
		signal(SIGPIPE, SIG_IGN); // the reader may leave before the end
		fputs(text, to);
		status = pclose(to);
	}
	if (status == NOT_FOUND)
		fputs(text, stdout);
}
