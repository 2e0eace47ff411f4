#include "num/bench/bench_machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "misc/options/opt.h"
#include "num/bench/bench_hand.h"
#include "num/kern/kern.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The text after "key ... :" in a file with lines of this form; "" if there is none. */
static void look_up(char value[128], const char *path, const char *key)
{
	FILE *f = fopen(path, "r");
	char line[512];

	value[0] = '\0';

	while (f && !value[0] && fgets(line, sizeof line, f)) {
		const char *colon = strchr(line, ':');

		if (0 != strncmp(line, key, strlen(key)) || !colon)
			continue;

		colon += 1 + strspn(colon + 1, " \t");
		snprintf(value, 128, "%.*s", (int)strcspn(colon, "\n"), colon);
	}

	if (f)
		fclose(f);
}

/* Such a number in KiB, as bytes. */
static double look_up_bytes(const char *path, const char *key)
{
	char value[128];

	look_up(value, path, key);

	return 1024. * strtod(value, NULL);
}

void bench_machine(struct bench_machine *m)
{
	struct utsname u;
	time_t t = time(NULL);
	struct tm utc;

	look_up(m->cpu, "/proc/cpuinfo", "model name");

	if (!m->cpu[0])
		strcpy(m->cpu, "unknown");

	m->cores = sysconf(_SC_NPROCESSORS_ONLN);
	m->threads = tool_threads();
	m->isa = kern_isa();
	m->memory = look_up_bytes("/proc/meminfo", "MemTotal");
	m->compiler = COMPILER;
	m->loops = hand_loops()->how;
	m->version = GANTRY_VERSION;
	strcpy(m->system, "unknown");

	if (0 == uname(&u))
		snprintf(m->system, sizeof m->system, "%.40s %.60s %.20s", u.sysname, u.release, u.machine);

	strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
}

double bench_memory_free(void)
{
	return look_up_bytes("/proc/meminfo", "MemAvailable");
}

double bench_memory_now(void)
{
	return look_up_bytes("/proc/self/status", "RssAnon");
}

double bench_memory_peak(void)
{
	return look_up_bytes("/proc/self/status", "VmHWM") - look_up_bytes("/proc/self/status", "RssFile") -
	       look_up_bytes("/proc/self/status", "RssShmem");
}

void bench_memory_reset(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY);

	if (fd < 0)
		return;

	if (1 != write(fd, "5", 1)) { // the peak then counts from the start: too much, never too little
	}

	close(fd);
}
