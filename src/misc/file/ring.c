/* Reader and writer map the ring buffer twice at consecutive addresses, so that every range of it is
 * contiguous. Counters in its first page contain the progress of reader and writer; packets through the
 * socket wake the other process. A packet is dropped if the socket is full: the other process still has
 * packets to read, and checks the counters after each one. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "misc/file/ring.h"
#include "misc/mem.h"

/** [bytes] of the ring, a few windows of slabs_pass(); and the most in one piece, so that neither end waits
 * for room or bytes that the other cannot give. */
enum { RING = 2 << 20, PIECE = RING / 2, HEAD = 1 << 16 };

struct head {
	_Atomic int64_t written, read;
};

struct ring {
	int listening, fd; // sockets, -1: none
	struct head *head;
	char *data;   // RING bytes, twice
	int64_t held; // bytes of the last ring_peek()
};

static struct ring *ring_new(void)
{
	struct ring *r = NEW(struct ring);

	r->listening = r->fd = -1;
	return r;
}

void ring_free(struct ring *r)
{
	if (!r)
		return;

	if (r->listening >= 0)
		close(r->listening);

	if (r->fd >= 0)
		close(r->fd);

	if (r->head)
		munmap(r->head, HEAD + 2 * RING);

	free(r);
}

/** The name in the abstract space of the pipe fd; its length, 0 where that is no pipe. */
static socklen_t name_of(int fd, struct sockaddr_un *name)
{
	struct stat st;

	if (0 != fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return 0;

	*name = (struct sockaddr_un){.sun_family = AF_UNIX};

	const int n = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "gantry-stream-%lx-%lx",
	        (unsigned long)st.st_dev, (unsigned long)st.st_ino);

	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/** Whether the other end is of the same user. */
static bool is_own(int fd)
{
	struct ucred who;
	socklen_t n = sizeof who;

	return 0 == getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) && who.uid == geteuid();
}

struct ring *ring_offer(int fd)
{
	struct sockaddr_un name;
	const socklen_t n = name_of(fd, &name);

	if (0 == n)
		return NULL;

	struct ring *r = ring_new();

	r->listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (r->listening >= 0 && 0 == bind(r->listening, (struct sockaddr *)&name, n) &&
	        0 == listen(r->listening, 1))
		return r;

	ring_free(r);
	return NULL;
}

struct ring *ring_ask(int fd)
{
	struct sockaddr_un name;
	const socklen_t n = name_of(fd, &name);

	if (0 == n)
		return NULL;

	struct ring *r = ring_new();

	r->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (r->fd >= 0 && 0 == connect(r->fd, (struct sockaddr *)&name, n) && is_own(r->fd))
		return r;

	ring_free(r);
	return NULL;
}

/** Maps the memory; false where that fails. */
static bool map(struct ring *r, int memory)
{
	enum { BOTH = PROT_READ | PROT_WRITE };
	char *base = mmap(NULL, HEAD + 2 * RING, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (MAP_FAILED == base)
		return false;

	r->head = (struct head *)base;
	r->data = base + HEAD;
	return MAP_FAILED != mmap(base, HEAD + RING, BOTH, MAP_SHARED | MAP_FIXED, memory, 0) &&
	       MAP_FAILED != mmap(base + HEAD + RING, RING, BOTH, MAP_SHARED | MAP_FIXED, memory, HEAD);
}

/** New memory whose size is fixed, so that no end can take it from the other. */
static int new_memory(void)
{
	const int memory = memfd_create("gantry-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (memory >= 0 && 0 == ftruncate(memory, HEAD + RING) &&
	        0 == fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return memory;

	if (memory >= 0)
		close(memory);

	return -1;
}

static bool is_sealed(int memory)
{
	struct stat st;

	return 0 == fstat(memory, &st) && HEAD + RING == st.st_size &&
	       (fcntl(memory, F_GET_SEALS) & F_SEAL_SHRINK);
}

/** A packet of one number with a descriptor beside it. */
struct packet {
	struct msghdr message;
	struct iovec part;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} beside;
};

static void set_packet(struct packet *p, int64_t *number)
{
	*p = (struct packet){.part = {number, sizeof *number}};
	p->message.msg_iov = &p->part;
	p->message.msg_iovlen = 1;
	p->message.msg_control = p->beside.room;
	p->message.msg_controllen = sizeof p->beside.room;
}

static bool send_memory(int fd, int memory, int64_t sent)
{
	struct packet p;

	set_packet(&p, &sent);
	p.beside.head = (struct cmsghdr){
	        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof memory)};
	memcpy(CMSG_DATA(&p.beside.head), &memory, sizeof memory);
	return (ssize_t)sizeof sent == sendmsg(fd, &p.message, MSG_NOSIGNAL);
}

/** Closes the listening socket. Other readers that are connected, or connect later, see it closed and read
 * from the pipe. */
static void stop_listening(struct ring *r)
{
	close(r->listening);
	r->listening = -1;
}

bool ring_accepts(struct ring *r, long sent)
{
	if (r->listening < 0)
		return r->fd >= 0;

	const int fd = accept4(r->listening, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return false;

	const int memory = new_memory();

	stop_listening(r);

	if (is_own(fd) && memory >= 0 && map(r, memory) && send_memory(fd, memory, sent))
		r->fd = fd;
	else
		close(fd);

	if (memory >= 0)
		close(memory);

	return r->fd >= 0;
}

/** The writer's answer; false: it is none. */
static bool take_answer(struct ring *r, long *answered)
{
	struct packet p;
	int64_t sent;
	int memory;

	set_packet(&p, &sent);

	if ((ssize_t)sizeof sent != recvmsg(r->fd, &p.message, MSG_CMSG_CLOEXEC) ||
	        p.message.msg_controllen < sizeof p.beside.head || SCM_RIGHTS != p.beside.head.cmsg_type)
		return false;

	memcpy(&memory, CMSG_DATA(&p.beside.head), sizeof memory);

	const bool mapped = is_sealed(memory) && map(r, memory);

	close(memory);
	*answered = sent;
	return mapped && sent >= 0;
}

bool ring_answered(struct ring *r, int fd, long *answered)
{
	struct pollfd p[2] = {{.fd = r->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};

	*answered = -1;

	while (poll(p, 2, -1) < 0)
		if (EINTR != errno)
			return false;

	return p[0].revents ? take_answer(r, answered) : true;
}

/** Tells the other end to look at the counters. */
static void wake(const struct ring *r)
{
	const char byte = 0;
	const ssize_t n = send(r->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL);

	(void)n; // an end that is gone is noticed when it is waited for
}

/** Waits for a packet; false: the other end is gone. */
static bool wait_packet(const struct ring *r)
{
	char byte;
	ssize_t n;

	do
		n = recv(r->fd, &byte, 1, 0);
	while (n < 0 && EINTR == errno);

	return n > 0;
}

static int64_t in_flight(const struct ring *r)
{
	const int64_t n = atomic_load(&r->head->written) - atomic_load(&r->head->read);

	return (n < 0 || n > RING) ? RING : n;
}

static int64_t room_left(const struct ring *r)
{
	return RING - in_flight(r);
}

/** Waits until so many bytes are there; false: the other end is gone and they are not. */
static bool wait_for(const struct ring *r, int64_t (*count)(const struct ring *), int64_t least)
{
	while (count(r) < least)
		if (!wait_packet(r))
			return count(r) >= least;

	return true;
}

static char *place(const struct ring *r, _Atomic int64_t *at)
{
	return r->data + (atomic_load(at) & (RING - 1));
}

void *ring_room(struct ring *r, long n, bool *ended)
{
	*ended = false;

	if (n > PIECE)
		return NULL;

	*ended = !wait_for(r, room_left, n);
	return place(r, &r->head->written);
}

bool ring_write(struct ring *r, const void *data, long n)
{
	for (const char *from = data; n > 0;) {
		const long m = (n < PIECE) ? n : PIECE;
		bool ended = false;
		char *to = (from == place(r, &r->head->written)) ? (char *)from : ring_room(r, m, &ended);

		if (ended)
			return false;

		if (to != from)
			memcpy(to, from, (size_t)m);

		atomic_fetch_add(&r->head->written, m);
		wake(r);
		from += m;
		n -= m;
	}

	return true;
}

/** Gives back the bytes that were looked at last. */
static void release(struct ring *r)
{
	if (0 == r->held)
		return;

	atomic_fetch_add(&r->head->read, r->held);
	r->held = 0;
	wake(r);
}

const void *ring_peek(struct ring *r, long n, bool *ended)
{
	*ended = false;
	release(r);

	if (n > PIECE)
		return NULL;

	*ended = !wait_for(r, in_flight, n);
	r->held = n;
	return place(r, &r->head->read);
}

long ring_read(struct ring *r, void *data, long n)
{
	long done = 0;

	release(r);

	while (done < n && wait_for(r, in_flight, 1)) {
		const int64_t there = in_flight(r);

		r->held = (there < n - done) ? there : n - done;
		memcpy((char *)data + done, place(r, &r->head->read), (size_t)r->held);
		done += r->held;
		release(r);
	}

	return done;
}
