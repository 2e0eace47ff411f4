/** Checkpoints: a complete one is modified at some positions and truncated. Without a new checksum it must be
 * refused. With a new checksum the run must continue or refuse it, whatever the numbers. */

#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "iter/algorithm/algorithm.h"
#include "misc/file/mapping.h"
#include "misc/hash.h"

enum { M = 6, N = 4, FIRST = 3, ALL = 6, ALGORITHMS = 8, ROOM = 16384 };

static const char *const names[ALGORITHMS] = {
        "cg", "lbfgs", "ba-gmres", "hybrid-lsqr", "omp", "fista", "nlcg", "ab-gmres"};

static struct whole {
	unsigned char bytes[ROOM];
	size_t n;
} wholes[ALGORITHMS];

static char path[64];

struct job {
	const struct algorithm *algorithm;
	long iterations;
	bool resume;
};

static void solve(void *ctx)
{
	static const double A_[M * N] = {4, 1, 0, 1, 0, 2, 1, 5, 1, 0, 3, 0, 0, 1, 6, 1, 0, 1, 2, 0, 1, 7, 1,
	        1},
	                           y[M] = {1, 2, -1, 3, 0, 1};
	const struct job *job = ctx;
	struct linop *A = linop_matrix_create(DT_FLOAT64, M, N, A_, 1, (const long[]){N});
	struct linop *W = linop_identity_create(DT_FLOAT64, 1, (const long[]){N});
	const bool omp = job->algorithm == algorithm_find("omp");
	const struct iter_problem p = {
	        .A = A, .y = y, .dictionary = omp ? W : NULL, .dictionary_text = omp ? "identity" : NULL};
	const struct iter_conf conf = {.iterations = job->iterations,
	        .basis = (job->algorithm->takes & (KEEPS_VOLUMES | KEEPS_PROJECTIONS)) ? 2 : 0,
	        .keep = true,
	        .checkpoint = path,
	        .every = 1000,
	        .resume = job->resume};
	double x[N] = {0};

	algorithm_solve(job->algorithm, &p, &conf, x);
	linop_free(A);
	linop_free(W);
}

static void store(const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	FUZZ_EXPECT(
	        f && (0 == n || 1 == fwrite(data, n, 1, f)) && 0 == fclose(f), "no file for a checkpoint");
}

static void make_whole(int k)
{
	struct job job = {algorithm_find(names[k]), FIRST, false};

	// what is made once and kept
	solve(&job);
	solve(&(struct job){job.algorithm, ALL, true});
	FUZZ_EXPECT(0 == fuzz_run(solve, &job), "%s: %s", names[k], fuzz_sentence());

	FILE *f = fopen(path, "rb");

	wholes[k].n = fread(wholes[k].bytes, 1, ROOM, f);
	fclose(f);
	FUZZ_EXPECT(wholes[k].n > HASH_TEXT && wholes[k].n < ROOM, "a checkpoint of %zu bytes", wholes[k].n);
}

/** What an error has left mapped, or the process would run out of mappings. */
static void unmap(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4096];
	unsigned long at[16];
	int n = 0;
	bool writable;

	while (f && n < 16 && fgets(line, sizeof line, f))
		if (strstr(line, path) && 1 == sscanf(line, "%lx", &at[n]))
			n++;

	if (f)
		fclose(f);

	for (int i = 0; i < n; i++)
		if (mapping_find((const void *)at[i], &writable))
			mapping_free((const void *)at[i]);
}

static void begin(void)
{
	// in memory where that can be: each one is flushed
	snprintf(path, sizeof path, "%s/gantry-fuzz-checkpoint-%d",
	        0 == access("/dev/shm", W_OK) ? "/dev/shm" : "/tmp", (int)getpid());

	for (int k = 0; k < ALGORITHMS; k++)
		make_whole(k);
}

static void finish(void)
{
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	unsigned char bytes[ROOM];

	if (!begun) {
		begin();
		atexit(finish);
	}

	begun = true;

	if (size < 2)
		return 0;

	const struct whole *w = &wholes[data[0] % ALGORITHMS];
	struct job job = {algorithm_find(names[data[0] % ALGORITHMS]), ALL, true};
	const bool right = data[1] & 1; // the checksum is made right again
	const size_t cut = data[1] >> 1, n = w->n - cut;

	memcpy(bytes, w->bytes, w->n);

	// each change: where, modulo the length, and what to
	for (size_t i = 2; i + 3 <= size; i += 3)
		bytes[(data[i] | data[i + 1] << 8) % n] = data[i + 2];

	if (right)
		hash_text((char *)bytes + n - HASH_TEXT, bytes, n - HASH_TEXT);

	const bool changed = cut > 0 || 0 != memcmp(bytes, w->bytes, n);

	store(bytes, n);

	const int status = fuzz_run(solve, &job);

	FUZZ_EXPECT(right || !changed || 1 == status, "a damaged checkpoint of %s is taken",
	        names[data[0] % ALGORITHMS]);
	FUZZ_EXPECT(changed || 0 == status, "a whole checkpoint is refused: %s", fuzz_sentence());

	if (0 != status)
		unmap();

	return 0;
}
