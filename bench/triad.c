/**
 * triad ROUNDS COMMAND X Y OUT: times `COMMAND 2 X Y OUT` (gantry saxpy) against z[i] = 2 x[i] + y[i] in a
 * plain OpenMP loop over the same float32 files, mapped, in turns. The loop writes once into an existing file
 * whose pages are in memory, and once into a new one. Prints the best of the rounds and the ratio of the
 * speeds.
 */

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what)
{
	fprintf(stderr, "triad: %s: %s\n", what, strerror(errno));
	exit(1);
}

static float *map(const char *stem, int flags, size_t *bytes)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof path, "%s.cfl", stem);

	int fd = open(path, flags, 0666);

	if (fd < 0 || 0 != fstat(fd, &st))
		fail(path);

	if ((flags & O_CREAT) && 0 != fallocate(fd, 0, 0, (off_t)*bytes))
		fail(path);

	if (!(flags & O_CREAT))
		*bytes = (size_t)st.st_size;

	float *p = mmap(
	        NULL, *bytes, (O_RDONLY == flags) ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (MAP_FAILED == p)
		fail(path);

	close(fd);

	return p;
}

/** The plain loop [s], with mapping and unmapping. */
static double loop(const char *x_name, const char *y_name, const char *z_name, int flags)
{
	double start = omp_get_wtime();
	size_t bytes = 0;
	const float *x = map(x_name, O_RDONLY, &bytes), *y = map(y_name, O_RDONLY, &bytes);
	float *z = map(z_name, flags, &bytes);
	long n = (long)(bytes / sizeof *z);

#pragma omp parallel for simd schedule(static)
	for (long i = 0; i < n; i++)
		z[i] = 2.f * x[i] + y[i];

	munmap((void *)x, bytes);
	munmap((void *)y, bytes);
	munmap(z, bytes);

	return omp_get_wtime() - start;
}

/** The whole command [s]. */
static double command(char *argv[])
{
	double start = omp_get_wtime();
	pid_t pid;
	int status = -1;

	if (0 != posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) || pid != waitpid(pid, &status, 0))
		fail(argv[0]);

	if (!WIFEXITED(status) || 0 != WEXITSTATUS(status)) {
		fprintf(stderr, "triad: %s failed\n", argv[0]);
		exit(1);
	}

	return omp_get_wtime() - start;
}

static void forget(const char *stem)
{
	char path[4096];

	snprintf(path, sizeof path, "%s.cfl", stem);
	unlink(path);
	snprintf(path, sizeof path, "%s.hdr", stem);
	unlink(path);
}

static double smaller(double a, double b)
{
	return (a < b) ? a : b;
}

int main(int argc, char *argv[])
{
	if (6 != argc) {
		fprintf(stderr, "usage: triad ROUNDS COMMAND X Y OUT\n");
		return 2;
	}

	char *saxpy[] = {argv[2], "2", argv[3], argv[4], argv[5], NULL};
	double old = 1e9, new = 1e9, ours = 1e9;
	size_t bytes = 0;

	munmap(map(argv[3], O_RDONLY, &bytes), bytes); // its size

	for (int round = 0; round < atoi(argv[1]); round++) {
		forget(argv[5]);
		ours = smaller(ours, command(saxpy));
		old = smaller(old, loop(argv[3], argv[4], argv[5], O_RDWR));
		forget(argv[5]);
		new = smaller(new, loop(argv[3], argv[4], argv[5], O_RDWR | O_CREAT));
	}

	double gb = 3 * (double)bytes * 1e-9;

	printf("plain loop into an existing file   %.3f s  %6.2f GB/s\n", old, gb / old);
	printf("plain loop into a new file         %.3f s  %6.2f GB/s\n", new, gb / new);
	printf("gantry saxpy, the whole command    %.3f s  %6.2f GB/s\n", ours, gb / ours);
	printf("saxpy reaches %.0f %% of the loop into a new file, %.0f %% of that into an existing one\n",
	        100 * new / ours, 100 * old / ours);

	return 0;
}
