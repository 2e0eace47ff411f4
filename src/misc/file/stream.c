#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/file/mapping.h"
#include "misc/file/stream.h"
#include "misc/mem.h"

enum { LINE = 64, HEADER_MAX = 64 << 20, CHUNK = 1 << 20, ALIGN = 64 };

static const char magic[] = "GANTRY-STREAM ";

static bool input_used, output_used;
static long input_left; // bytes of elements not read yet; -1 when the stream has been finished

static void wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	poll(&p, 1, -1);
}

/* Reads up to n bytes; fewer only at the end of the stream. */
static long read_up_to(void *buffer, long n)
{
	long have = 0;

	while (have < n) {
		ssize_t r = read(STDIN_FILENO, (char *)buffer + have, (size_t)(n - have));

		if (r < 0 && EAGAIN == errno)
			wait_for(STDIN_FILENO, POLLIN);
		else if (r < 0 && EINTR != errno)
			error("standard input: cannot be read: %s", strerror(errno));

		if (0 == r)
			break;

		have += r > 0 ? r : 0;
	}

	return have;
}

/* The first line, without its end. Byte by byte: what follows is read straight to its place. */
static void read_line(char line[LINE])
{
	int n = 0;

	while (n < LINE - 1 && 1 == read_up_to(line + n, 1) && '\n' != line[n])
		n++;

	if (0 == n && !line[0])
		error("standard input: empty, expected a stream that begins with 'GANTRY-STREAM 1' "
		      "(did the command before the pipe fail?)");

	line[n] = '\0';
}

static long header_length(void)
{
	char line[LINE] = "", end;
	long version, length;

	read_line(line);

	if (0 != strncmp(line, magic, strlen(magic)))
		error("standard input: not an array stream, expected it to begin with 'GANTRY-STREAM 1'");

	if (2 != sscanf(line + strlen(magic), "%ld %ld%c", &version, &length, &end) || length < 0)
		error("standard input: begins with '%s', expected 'GANTRY-STREAM 1 BYTES'", line);

	if (1 != version)
		error("standard input: stream version %ld, expected 1", version);

	if (length > HEADER_MAX)
		error("standard input: a header of %ld bytes, expected at most %d", length, (int)HEADER_MAX);

	return length;
}

void stream_open(struct hdr *h)
{
	if (input_used)
		usage_error("'-' names more than one input, but there is only one standard input");

	if (isatty(STDIN_FILENO))
		usage_error("'-' reads standard input, which is a terminal: expected a pipe or a file");

	input_used = true;

	long length = header_length();
	char *text = mem_realloc(NULL, (size_t)length + 1);

	if (read_up_to(text, length) != length)
		error("standard input: ends inside its header of %ld bytes", length);

	hdr_parse(h, text, (size_t)length, "standard input");
	free(text);
	input_left = hdr_bytes(h, "standard input");
	fcntl(STDIN_FILENO, F_SETPIPE_SZ, CHUNK);
}

unsigned char *stream_map(unsigned char **map)
{
	struct stat st;
	off_t offset = lseek(STDIN_FILENO, 0, SEEK_CUR);

	if (0 != fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode) || offset < 0)
		return NULL;

	if (st.st_size - offset != input_left)
		error("standard input: %ld bytes of elements, its header says %ld",
		        (long)(st.st_size - offset), input_left);

	*map = mapping_create(STDIN_FILENO, (size_t)st.st_size, false, "standard input");
	input_left = -1;
	return *map + offset;
}

/* At the end of the elements: nothing may follow. */
static void expect_end(void)
{
	char byte;

	if (0 != read_up_to(&byte, 1))
		error("standard input: more bytes than its header says");

	input_left = -1;
}

void stream_read(void *buffer, long bytes)
{
	long got = read_up_to(buffer, bytes);

	if (got < bytes)
		error("standard input: truncated: %ld bytes missing", input_left - got);

	input_left -= bytes;

	if (0 == input_left)
		expect_end();
}

void stream_finish(void)
{
	if (!input_used || input_left < 0)
		return;

	char *buffer = mem_alloc(CHUNK);

	while (input_left > 0)
		stream_read(buffer, input_left < CHUNK ? input_left : CHUNK);

	free(buffer);
}

void stream_reset(void)
{
	input_used = output_used = false;
}

static void write_all(const char *data, long n)
{
	while (n > 0) {
		ssize_t w = write(STDOUT_FILENO, data, (size_t)(n < 16 * CHUNK ? n : 16 * CHUNK));

		if (w < 0 && EAGAIN == errno)
			wait_for(STDOUT_FILENO, POLLOUT);
		else if (w < 0 && EPIPE == errno)
			end_without_reader();
		else if (w < 0 && EINTR != errno)
			error("standard output: cannot be written: %s", strerror(errno));

		data += w > 0 ? w : 0;
		n -= w > 0 ? w : 0;
	}
}

void stream_create(const struct hdr *h)
{
	if (output_used)
		usage_error("'-' names more than one output, but there is only one standard output");

	if (isatty(STDOUT_FILENO))
		usage_error("'-' writes standard output, which is a terminal: expected a pipe or a file");

	output_used = true;
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, CHUNK);

	char *text = hdr_format(h, NULL);
	long length = (long)strlen(text);
	long padded = length;

	// empty lines at the end put the elements of a stream kept as a file on a multiple of 64 bytes
	while (0 != (snprintf(NULL, 0, "%s1 %ld\n", magic, padded) + padded) % ALIGN)
		padded++;

	struct str s = {0};

	str_printf(&s, "%s1 %ld\n", magic, padded);
	str_add(&s, text);

	for (; length < padded; length++)
		str_add(&s, "\n");

	write_all(s.data, (long)s.len);
	free(s.data);
	free(text);
}

void stream_write(const void *data, long bytes)
{
	write_all(data, bytes);
}
