/** Variants of error(), usage_error() and leave() that jump to fuzz_run(), which releases allocated memory.
 */

#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "misc/error.h"
#include "misc/threads.h"

const char *tool_name = "fuzz";
int log_level = 1;
const char *log_place = NULL;
const char *error_mark = "";
void (*before_message)(void);
void (*before_error)(void);
void (*before_end)(int status);

enum { SLOTS = 1 << 16 };

/** Live allocations of the run: open addressing; slots of earlier runs are empty. */
static struct {
	const volatile void *p; // NULL: released
	unsigned long run;
} slots[SLOTS];

static size_t order[SLOTS]; // slots in the order of their first use in this run
static long ordered;
static unsigned long run_number;
static _Thread_local bool running; // libFuzzer has a thread of its own, which does not count
static long live;
static jmp_buf end;
static char sentence[8192];

static size_t slot_of(const volatile void *p)
{
	return ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 48;
}

static void allocated(const volatile void *p, size_t size)
{
	(void)size;

	if (!running || !p || live > SLOTS / 2)
		return;

	size_t i = slot_of(p);

	while (slots[i].run == run_number && slots[i].p)
		i = (i + 1) % SLOTS;

	if (slots[i].run != run_number)
		order[ordered++] = i;

	slots[i].p = p;
	slots[i].run = run_number;
	live++;
}

static void released(const volatile void *p)
{
	if (!running || !p)
		return;

	for (size_t i = slot_of(p), n = 0; slots[i].run == run_number && n < SLOTS;
	        i = (i + 1) % SLOTS, n++) {
		if (slots[i].p != p)
			continue;

		slots[i].p = NULL;
		live--;
		return;
	}
}

static void release_all(void)
{
	for (long k = 0; k < ordered; k++)
		free((void *)slots[order[k]].p);
}

int fuzz_run(void (*fn)(void *ctx), void *ctx)
{
	static bool ready;

	if (!ready) {
		threads_for(1e9); // the runtime of OpenMP keeps what it allocates when it is first asked
		__sanitizer_install_malloc_and_free_hooks(allocated, released);
	}

	ready = true;
	run_number++;
	live = 0;
	ordered = 0;
	sentence[0] = '\0';

	int status = setjmp(end);

	if (0 == status) {
		running = true;
		fn(ctx);
		running = false;
		FUZZ_EXPECT(0 == live, "%ld allocations are not released", live);
		return 0;
	}

	running = false;
	release_all();
	FUZZ_EXPECT(sentence[0], "ended with status %d without a sentence", status);
	return status;
}

const char *fuzz_sentence(void)
{
	return sentence;
}

int fuzz_file(const void *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", 0);

	FUZZ_EXPECT(fd >= 0 && 0 == ftruncate(fd, 0) && (ssize_t)size == pwrite(fd, data, size, 0) &&
	                    0 == lseek(fd, 0, SEEK_SET),
	        "no file in memory");
	return fd;
}

static void say(const char *fmt, va_list ap)
{
	running = false; // what the C library allocates is its own
	vsnprintf(sentence, sizeof sentence, fmt, ap);
	running = true;
}

/** The arguments of a message are read, as they would be printed. */
static void say_and_forget(const char *fmt, va_list ap)
{
	say(fmt, ap);
	sentence[0] = '\0';
}

void error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	longjmp(end, EXIT_FAILED);
}

void usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	longjmp(end, EXIT_USAGE);
}

#define DEFINE_MESSAGE(name)                                                                                 \
	void name(const char *fmt, ...)                                                                      \
	{                                                                                                    \
		va_list ap;                                                                                  \
                                                                                                             \
		va_start(ap, fmt);                                                                           \
		say_and_forget(fmt, ap);                                                                     \
		va_end(ap);                                                                                  \
	}

DEFINE_MESSAGE(warn)
DEFINE_MESSAGE(info)
DEFINE_MESSAGE(verbose)

void leave(int status)
{
	snprintf(sentence, sizeof sentence, "left with status %d", status);
	longjmp(end, EXIT_USAGE + 1 + status);
}

bool reader_has_ended(void)
{
	return false;
}

void end_without_reader(void)
{
	leave(EXIT_PIPE);
}

void on_exit_call(void (*fn)(void))
{
	(void)fn;
}

void on_done_call(void (*fn)(void))
{
	(void)fn;
}

void (*leave_instead)(int status);

void guard_standard_streams(void)
{
}
