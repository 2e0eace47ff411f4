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
#include "misc/file/ring.h"
#include "misc/file/stream.h"
#include "misc/mem.h"
#include "misc/minmax.h"

enum { LINE = 64, HEADER_MAX = 64 << 20, CHUNK = 1 << 20, WINDOW = CHUNK / 4, ALIGN = 64 };

static const char magic[] = "GANTRY-STREAM ";

static bool input_used, output_used;
static long input_left; // bytes of elements not read yet; -1 when the stream has been finished

// elements that come or go by shared memory where the other end is a command of ours; NULL: none do
static struct ring *input_ring, *output_ring;
static long input_piped, output_piped; // bytes of elements that came or went through the pipe
static long input_answer;              // all that come through it; -1: not known yet

bool stream_is_read(void)
{
	return input_used;
}

static void wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	poll(&p, 1, -1);
}

/* Reads 1 to n bytes; 0 at the end. */
static long read_some(void *buffer, long n)
{
	for (;;) {
		ssize_t r = read(STDIN_FILENO, buffer, (size_t)n);

		if (r >= 0)
			return r;

		if (EAGAIN == errno)
			wait_for(STDIN_FILENO, POLLIN);
		else if (EINTR != errno)
			error("standard input: cannot be read: %s", strerror(errno));
	}
}

/* Reads up to n bytes; fewer only at the end of the stream. */
static long read_up_to(void *buffer, long n)
{
	long have = 0, r = 1;

	while (have < n && r > 0)
		have += r = read_some((char *)buffer + have, n - have);

	return have;
}

/* Waits for elements, or for the answer of the writer. */
static void wait_answer(void)
{
	if (!input_ring || input_answer >= 0)
		return;

	if (!ring_answered(input_ring, STDIN_FILENO, &input_answer)) {
		ring_free(input_ring);
		input_ring = NULL;
	} else if (input_answer >= 0) {
		verbose("standard input: elements come through shared memory");
	}
}

/* Bytes that are still to come through the pipe once the writer has answered: all of them are in it, unless
 * another process reads or writes it as well. */
static long still_piped(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	if (input_piped > input_answer)
		error("standard input contains more bytes than its header says");

	if (0 == poll(&p, 1, 0))
		error("standard input: truncated: another process reads the same pipe");

	return input_answer - input_piped;
}

/* As read_up_to(), of elements. */
static long read_elements(char *buffer, long n)
{
	long have = 0;

	while (have < n) {
		wait_answer();

		if (input_ring && input_answer == input_piped)
			return have + ring_read(input_ring, buffer + have, n - have);

		const long most = (input_ring && input_answer >= 0) ? still_piped() : n;
		const long r = read_some(buffer + have, min_long(n - have, most));

		if (0 == r) {
			const bool known = !input_ring || input_answer >= 0;

			wait_answer(); // it came just before the end of the pipe

			if (known || !input_ring || input_answer < 0)
				break;
		}

		have += r;
		input_piped += r;
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
		error("standard input is empty, expected a stream that begins with 'GANTRY-STREAM 1' (did "
		      "the command before the pipe fail?)");

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
		error("standard input has stream version %ld, expected 1", version);

	if (length > HEADER_MAX)
		error("standard input has a header of %ld bytes, expected at most %d", length,
		        (int)HEADER_MAX);

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
	input_ring = (input_left >= CHUNK) ? ring_ask(STDIN_FILENO) : NULL;
	input_answer = -1;
	input_piped = 0;
	fcntl(STDIN_FILENO, F_SETPIPE_SZ, CHUNK);
}

unsigned char *stream_map(unsigned char **map)
{
	struct stat st;
	off_t offset = lseek(STDIN_FILENO, 0, SEEK_CUR);

	if (0 != fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode) || offset < 0)
		return NULL;

	if (st.st_size - offset != input_left)
		error("standard input contains %ld bytes of elements, but its header says %ld",
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
		error("standard input contains more bytes than its header says");

	input_left = -1;
}

static void count_read(long bytes)
{
	input_left -= bytes;

	if (0 == input_left)
		expect_end();
}

void stream_read(void *buffer, long bytes)
{
	long got = read_elements(buffer, bytes);

	if (got < bytes)
		error("standard input: truncated: %ld bytes missing", input_left - got);

	count_read(bytes);
}

const void *stream_peek(long bytes)
{
	bool ended;

	if (!input_ring || input_answer != input_piped)
		return NULL;

	const void *p = ring_peek(input_ring, bytes, &ended);

	if (ended) // stream_read() says how much is missing
		return NULL;

	if (p)
		count_read(bytes);

	return p;
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
	ring_free(input_ring);
	ring_free(output_ring);
	input_ring = output_ring = NULL;
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
	output_ring = (hdr_bytes(h, "standard output") >= CHUNK) ? ring_offer(STDOUT_FILENO) : NULL;
	output_piped = 0;
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

/* Whether elements go by shared memory from now on. */
static bool by_ring(void)
{
	return output_ring && ring_accepts(output_ring, output_piped);
}

void *stream_room(long bytes)
{
	bool ended = false;
	void *p = by_ring() ? ring_room(output_ring, bytes, &ended) : NULL;

	if (ended)
		end_without_reader();

	return p;
}

void stream_write(const void *data, long bytes)
{
	const char *from = data;

	while (bytes > 0 && !by_ring()) {
		const long n = output_ring ? min_long(bytes, WINDOW) : bytes;

		write_all(from, n);
		output_piped += n;
		from += n;
		bytes -= n;
	}

	if (bytes > 0 && !ring_write(output_ring, from, bytes))
		end_without_reader();
}
