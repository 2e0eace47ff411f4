/*
 * Damaged checkpoints: one flipped bit anywhere is refused; numbers that a right checksum covers and that no
 * run has written are refused or harmless.
 */

#include <math.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "misc/file.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "num/md/rand.h"

enum { M = 12, N = 6, FIRST = 4, ALL = 7 };

static const char path[] = "state", damaged[] = "damaged";
static double A_[M * N], y_[M];
static const struct algorithm *algorithm;

static void solve(long iterations, const char *file, bool resume, double x[N])
{
	struct linop *A = linop_matrix_create(DT_FLOAT64, M, N, A_, 1, (const long[]){N});
	const struct iter_problem p = {.A = A, .y = y_};
	const struct iter_conf conf = {.iterations = iterations,
	        .basis = 3,
	        .change = 1e-30,
	        .keep = true,
	        .checkpoint = file,
	        .every = 1000,
	        .resume = resume};

	algorithm_solve(algorithm, &p, &conf, x);
	linop_free(A);
}

static void resume_damaged(void)
{
	double x[N];

	solve(ALL, damaged, true, x);
	_exit(0);
}

static void write_bytes(const char *bytes, size_t n)
{
	FILE *f = fopen(damaged, "wb");

	if (!f || 1 != fwrite(bytes, n, 1, f) || 0 != fclose(f))
		abort();
}

static void test_flips(char *bytes, size_t n)
{
	char text[1000];
	int accepted = 0, unclear = 0, tried = 0;

	for (size_t i = 0; i < n; i += short_tests() ? 73 : 5, tried++) {
		const char bit = (char)(1 << (i / 5 % 8));

		bytes[i] ^= bit;
		write_bytes(bytes, n);
		bytes[i] ^= bit;
		accepted += 1 != status_of(resume_damaged, text, sizeof text);
		unclear += !strstr(text, "damaged: ") || !strstr(text, "start without --resume");
	}

	check(0 == accepted && 0 == unclear, "%s: %d flipped bits, %d not refused, %d not explained",
	        algorithm->name, tried, accepted, unclear);

	write_bytes(bytes, n - 1);
	check_ends(1, "damaged or truncated checkpoint", resume_damaged, "a byte is missing");
}

/* The checksum made right again. Neighbours get different numbers, and what the algorithms have in common
 * gets all of them. */
static void test_forged(char *bytes, size_t n, int first)
{
	const double numbers[] = {-1., 1e300, NAN};
	char text[1000], *forged = mem_alloc(n);
	int tried = 0, crashed = 0, refused = 0;

	for (size_t at = 0; at + 8 <= n - HASH_TEXT; at += short_tests() ? 40 : 8, tried++) {
		memcpy(forged, bytes, n);
		memcpy(forged + at, &numbers[(first + tried) % 3], 8);
		hash_text(forged + n - HASH_TEXT, forged, n - HASH_TEXT);
		write_bytes(forged, n);

		const int status = status_of(resume_damaged, text, sizeof text);

		crashed += 0 != status && 1 != status;
		refused += 1 == status;
	}

	check(0 == crashed && refused > (short_tests() ? 5 : 20),
	        "%s: %d forged numbers, %d refused, %d crash", algorithm->name, tried, refused, crashed);
	free(forged);
}

static void test(const char *name, int first)
{
	double x[N], whole[N];
	size_t n;

	algorithm = algorithm_find(name);
	solve(ALL, NULL, false, whole);
	solve(FIRST, path, false, x);

	const void *file = file_map(path, &n);
	char *bytes = mem_alloc(n);

	memcpy(bytes, file, n);
	file_unmap(file);
	solve(ALL, path, true, x);
	check(0 == memcmp(x, whole, sizeof x), "%s: an intact checkpoint gives the same bytes", name);
	test_flips(bytes, n);
	test_forged(bytes, n, first);
	free(bytes);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	for (long i = 0; i < (long)M * N; i++)
		A_[i] = rand_normal(3, (uint64_t)i);

	for (int i = 0; i < M; i++)
		y_[i] = rand_normal(4, (uint64_t)i);

	test("cg", 0);
	test("lbfgs", 1);
	test("ba-gmres", 2);
	test("hybrid-lsqr", 3);
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
