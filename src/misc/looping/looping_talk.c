/** Messages between the processes of a loop. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "misc/error.h"
#include "misc/looping/looping_internal.h"

/* In front of the texts of a request. */
struct head {
	long slice, bytes, name_n, header_n, words_n;
	double seconds;
};

static bool send_all(int socket, const void *data, long n)
{
	const char *p = data;

	while (n > 0) {
		ssize_t k = send(socket, p, (size_t)n, MSG_NOSIGNAL);

		if (k < 0 && EINTR == errno)
			continue;

		if (k <= 0)
			return false;

		p += k;
		n -= k;
	}

	return true;
}

static bool receive_all(int socket, void *data, long n)
{
	char *p = data;

	while (n > 0) {
		ssize_t k = recv(socket, p, (size_t)n, 0);

		if (k < 0 && EINTR == errno)
			continue;

		if (k <= 0)
			return false;

		p += k;
		n -= k;
	}

	return true;
}

void looping_send_request(int socket, const struct looping_request *r)
{
	struct head h = {
	        r->slice, r->bytes, (long)strlen(r->name), (long)strlen(r->header), r->words_n, r->seconds};

	if (!send_all(socket, &h, sizeof h) || !send_all(socket, r->name, h.name_n) ||
	        !send_all(socket, r->header, h.header_n) || !send_all(socket, r->words, h.words_n))
		_exit(EXIT_FAILED); // the parent has gone, and has said why
}

static bool receive_text(int socket, char **text, long n)
{
	*text = mem_calloc((size_t)n + 1, 1);
	return receive_all(socket, *text, n);
}

bool looping_receive_request(int socket, struct looping_request *r)
{
	struct head h;

	*r = (struct looping_request){0};

	if (!receive_all(socket, &h, sizeof h))
		return false;

	r->slice = h.slice;
	r->bytes = h.bytes;
	r->seconds = h.seconds;
	r->words_n = h.words_n;

	if (receive_text(socket, &r->name, h.name_n) && receive_text(socket, &r->header, h.header_n) &&
	        receive_text(socket, &r->words, h.words_n))
		return true;

	looping_request_free(r);
	return false;
}

void looping_request_free(struct looping_request *r)
{
	free(r->name);
	free(r->header);
	free(r->words);
}

union control {
	struct cmsghdr align;
	char room[CMSG_SPACE(sizeof(int))];
};

bool looping_send_file(int socket, int fd, long offset)
{
	union control control = {0};
	struct iovec v = {&offset, sizeof offset};
	struct msghdr m = {.msg_iov = &v,
	        .msg_iovlen = 1,
	        .msg_control = control.room,
	        .msg_controllen = sizeof control.room};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);

	return sizeof offset == sendmsg(socket, &m, MSG_NOSIGNAL);
}

int looping_receive_file(int socket, long *offset)
{
	union control control;
	struct iovec v = {offset, sizeof *offset};
	struct msghdr m = {.msg_iov = &v,
	        .msg_iovlen = 1,
	        .msg_control = control.room,
	        .msg_controllen = sizeof control.room};
	ssize_t n;
	int fd = -1;

	do {
		n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && EINTR == errno);

	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (sizeof *offset == n && c && SCM_RIGHTS == c->cmsg_type)
		memcpy(&fd, CMSG_DATA(c), sizeof fd);

	return fd;
}
