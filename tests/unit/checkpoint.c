/*
 * Damaged checkpoints: one flipped bit anywhere is refused; numbers that a right checksum covers and that no
 * run has written are refused or harmless. Checkpoints of other runs are refused with the reason.
 */

#include <math.h>

#include "check.h"
#include "iter/algorithm/algorithm.h"
#include "iter/functional/functionals.h"
#include "iter/monitor/fall.h"
#include "misc/file.h"
#include "misc/hash.h"
#include "misc/mem.h"
#include "num/md/rand.h"

enum { M = 12, N = 6, FIRST = 4, ALL = 7 };

static const char path[] = "state", damaged[] = "damaged";
static double A_[M * N], y_[M];
static const struct algorithm *algorithm;

static const struct iter_conf standard = {
        .iterations = ALL, .basis = 3, .change = 1e-30, .keep = true, .checkpoint = path, .every = 1000};

static struct iter_result solve(long iterations, const char *file, bool resume, double x[N])
{
	struct linop *A = linop_matrix_create(DT_FLOAT64, M, N, A_, 1, (const long[]){N});
	const struct iter_problem p = {.A = A, .y = y_};
	struct iter_conf conf = standard;

	conf.iterations = iterations;
	conf.checkpoint = file;
	conf.resume = resume;

	const struct iter_result res = algorithm_solve(algorithm, &p, &conf, x);

	linop_free(A);
	return res;
}

static void resume_damaged(void)
{
	double x[N];

	solve(ALL, damaged, true, x);
	_exit(0);
}

/* The bytes of the last checkpoint, to be freed. */
static char *last_checkpoint(size_t *n)
{
	const void *file = file_map(path, n);
	char *bytes = mem_alloc(*n);

	memcpy(bytes, file, *n);
	file_unmap(file);
	return bytes;
}

static char *checkpoint(long iterations, size_t *n)
{
	double x[N];

	solve(iterations, path, false, x);
	return last_checkpoint(n);
}

static void write_bytes(const char *bytes, size_t n)
{
	FILE *f = fopen(damaged, "wb");

	if (!f || 1 != fwrite(bytes, n, 1, f) || 0 != fclose(f))
		abort();
}

/* Where the longest row of zeros begins and ends: marks of iterations that have not been made. Nothing reads
 * them, so that few of them are changed. */
static void find_zeros(const char *bytes, size_t n, size_t *begin, size_t *end)
{
	*begin = *end = 0;

	for (size_t i = 0, first = 0; i < n; i++) {
		if (0 != bytes[i])
			first = i + 1;
		else if (i + 1 - first > *end - *begin) {
			*begin = first;
			*end = i + 1;
		}
	}
}

static void test_flips(char *bytes, size_t n)
{
	char text[1000];
	int accepted = 0, unclear = 0, tried = 0;
	size_t begin, end;

	find_zeros(bytes, n, &begin, &end);

	for (size_t i = 0; i < n; i += short_tests() ? 73 : (i < begin || i >= end) ? 5 : 29, tried++) {
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

static void write_forged(char *bytes, size_t n)
{
	hash_text(bytes + n - HASH_TEXT, bytes, n - HASH_TEXT);
	write_bytes(bytes, n);
}

/* The checksum made right again. */
static void test_forged(const char *bytes, size_t n)
{
	const double numbers[] = {-1., 1e300, NAN};
	char text[1000], *forged = mem_alloc(n);
	int tried = 0, crashed = 0, refused = 0;
	size_t begin, end;

	find_zeros(bytes, n, &begin, &end);

	for (size_t at = 0; at + 8 <= n - HASH_TEXT; at += short_tests() ? 40 : 8) {
		if (at > begin + 8 && at + 8 < end && (short_tests() || at % 64 > 0))
			continue;

		for (int k = 0; k < 3; k++, tried++) {
			memcpy(forged, bytes, n);
			memcpy(forged + at, &numbers[k], 8);
			write_forged(forged, n);

			const int status = status_of(resume_damaged, text, sizeof text);

			crashed += 0 != status && 1 != status;
			refused += 1 == status;
		}
	}

	check(0 == crashed && refused > 20, "%s: %d forged numbers, %d refused, %d crash", algorithm->name,
	        tried, refused, crashed);
	free(forged);
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void check_result(const char *name, struct iter_result want, struct iter_result got)
{
	check(want.end == got.end && want.iterations == got.iterations && same(want.residual, got.residual) &&
	                same(want.objective, got.objective) && same(want.gradient, got.gradient) &&
	                same(want.fell, got.fell) && same(want.lately, got.lately),
	        "%s: %s", algorithm->name, name);
}

static void test(const char *name)
{
	double x[N], whole[N];
	size_t n, m;

	algorithm = algorithm_find(name);

	const struct iter_result want = solve(ALL, path, false, whole);
	char *wanted = last_checkpoint(&m), *bytes = checkpoint(FIRST, &n);

	check_result("the result of a resumed run", want, solve(ALL, path, true, x));
	check(0 == memcmp(x, whole, sizeof x), "%s: an intact checkpoint gives the same bytes", name);
	check_result("the result of a run without iterations", want, solve(ALL, path, true, x));

	char *resumed = last_checkpoint(&n);

	check(n == m && 0 == memcmp(resumed, wanted, n), "%s: and the same checkpoint", name);
	free(wanted);
	free(resumed);
	test_flips(bytes, n);
	test_forged(bytes, n);
	free(bytes);
}

/* ---- what is refused, and why ---- */

/* The numbers of a run in a checkpoint, as places of 8 bytes from the number of iterations on. */
enum {
	AT_MINIMUM = 1 + RUN_NUMBERS + 4,
	AT_END = AT_MINIMUM + 4,
	AT_MARKS,
};

/* Writes the checkpoint with another number. */
static void put_8(char *bytes, size_t n, size_t at, const void *number)
{
	char old[8];

	memcpy(old, bytes + at, 8);
	memcpy(bytes + at, number, 8);
	write_forged(bytes, n);
	memcpy(bytes + at, old, 8);
}

static void put_long(char *bytes, size_t n, size_t at, long value)
{
	put_8(bytes, n, at, &value);
}

/* Where the numbers begin: the first difference to the checkpoint of one more iteration. */
static size_t numbers_at(const char *bytes, size_t n)
{
	size_t m, k = 0;
	char *later = checkpoint(FIRST + 1, &m);

	while (k + 8 < n && 0 == memcmp(bytes + k, later + k, 8))
		k += 8;

	free(later);
	return k;
}

/* Of the numbers of an algorithm, those that count something are checked by its sound(). */
static void test_sound(const char *name)
{
	const double zero = 0., negative = -1.;
	char text[1000];
	int refused = 0;
	size_t n;

	algorithm = algorithm_find(name);

	char *bytes = checkpoint(FIRST, &n);
	const size_t s = numbers_at(bytes, n) + 8;

	for (size_t at = s; at < s + 8 * RUN_NUMBERS; at += 8) {
		if (0 == memcmp(bytes + at, &zero, 8))
			continue;

		put_8(bytes, n, at, &negative);
		refused += 1 == status_of(resume_damaged, text, sizeof text) &&
		           NULL != strstr(text, "impossible numbers");
	}

	check(refused > 0, "%s: %d of its numbers are refused", name, refused);
	free(bytes);
}

static void test_counts(char *bytes, size_t n)
{
	const struct {
		int at;
		long least, most;
	} counts[] = {{0, 0, ALL}, {AT_MINIMUM, 0, 1}, {AT_END, ITER_ALL, ITER_CONVERGED},
	        {AT_MARKS, 0, FALL_MARKS}};
	const size_t k = numbers_at(bytes, n);
	struct iter_result last[4];
	char text[1000];
	double x[N];

	for (int i = 0; i < 4; i++) {
		const size_t at = k + 8 * (size_t)counts[i].at;

		put_long(bytes, n, at, counts[i].least - 1);
		check_ends(1, "impossible numbers", resume_damaged, "a count is too small");
		put_long(bytes, n, at, counts[i].least);
		check(0 == status_of(resume_damaged, text, sizeof text), "the least of count %d", i);
		put_long(bytes, n, at, counts[i].most);
		check(0 == status_of(resume_damaged, text, sizeof text), "the most of count %d", i);
		last[i] = solve(ALL, damaged, true, x);

		if (0 == i)
			continue; // iterations have no limit here

		put_long(bytes, n, at, counts[i].most + 1);
		check_ends(1, "impossible numbers", resume_damaged, "a count is too large");
	}

	check(FIRST == last[1].iterations && ITER_MINIMUM == last[1].end, "the run was at a minimum");
	check(FIRST == last[2].iterations && ITER_CONVERGED == last[2].end, "the run had ended");
}

static void test_lengths(const char *bytes, size_t n)
{
	char *other = mem_calloc(1, n + 8);

	memcpy(other, bytes, n - HASH_TEXT - 8);
	write_forged(other, n - 8);
	check_ends(1, "contains fewer vectors", resume_damaged, "a number less");
	memcpy(other, bytes, n - HASH_TEXT);
	write_forged(other, n + 8);
	check_ends(1, "contains more vectors", resume_damaged, "a number more");
	other[0] ^= 1;
	write_forged(other, n);
	check_ends(1, "not a checkpoint of this version", resume_damaged, "another version");
	write_bytes(bytes, 10);
	check_ends(1, "not a checkpoint of this version", resume_damaged, "10 bytes");
	write_bytes(bytes, 40);
	check_ends(1, "damaged: truncated checkpoint", resume_damaged, "40 bytes");
	free(other);
}

static struct iter_conf conf_;
static struct iter_problem problem_;
static double matrix_[(M + 1) * (N + 1)], data_[M + 1];
static long rows_, columns_;

static void resume_other(void)
{
	double x[N + 1];

	problem_.A = linop_matrix_create(DT_FLOAT64, rows_, columns_, matrix_, 1, (const long[]){columns_});
	algorithm_solve(algorithm, &problem_, &conf_, x);
	_exit(0);
}

/* A run with one change resumes from the checkpoint of the standard run. */
#define OTHER(change, part)                                                                                  \
	do {                                                                                                 \
		conf_ = standard;                                                                            \
		conf_.resume = true;                                                                         \
		problem_ = (struct iter_problem){.y = data_};                                                \
		rows_ = M;                                                                                   \
		columns_ = N;                                                                                \
		memcpy(data_, y_, sizeof y_);                                                                \
		change;                                                                                      \
		check_ends(1, part, resume_other, "refused: " #change);                                      \
	} while (0)

static void test_others(void)
{
	static const char options[] = "a run with other terms, options, geometry or model",
	                  size[] = "other projections or of a volume of another size";

	OTHER(algorithm = algorithm_find("lsqr"), "is a checkpoint of cg, expected a checkpoint of lsqr");
	algorithm = algorithm_find("cg");
	OTHER(data_[M - 1] += 1e-12, size);
	OTHER(columns_++, size);
	OTHER(rows_++, size);
	OTHER(problem_.lambda = 1e-3, options);
	OTHER(problem_.dictionary_text = "haar", options);
	OTHER(conf_.identity = "model", options);
	OTHER(conf_.seed++, options);
	OTHER(conf_.descent.fade = 0.5, options);
	OTHER(conf_.step = 0.5, options);
	OTHER(conf_.relaxation = 0.5, options);
	OTHER(conf_.newton.alpha = 0.5, options);
	OTHER(conf_.newton.factor = 0.5, options);
	OTHER(conf_.newton.inner.iterations = 5, options);
	OTHER(conf_.order = SAMPLER_SHUFFLE, options);
	OTHER(conf_.keep = false, options);
	OTHER(conf_.change = 0., options);

	size_t n;

	algorithm = algorithm_find("ba-gmres");
	free(checkpoint(FIRST, &n));
	OTHER(conf_.basis = 4, options);

	struct functional *g = functional_l1_create(DT_FLOAT64, 1, (const long[]){N}, NULL, NULL);

	algorithm = algorithm_find("fista");
	free(checkpoint(FIRST, &n));
	OTHER((problem_.terms = 1, problem_.term = &(struct iter_term){.g = g}), options);
	functional_free(g);
}

static void test_refusals(void)
{
	size_t n;

	algorithm = algorithm_find("cg");

	char *bytes = checkpoint(FIRST, &n);

	test_counts(bytes, n);
	test_lengths(bytes, n);
	free(bytes);
	free(checkpoint(FIRST, &n));
	test_others();
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

	test("cg");
	test("lbfgs");
	test("ba-gmres");
	test("hybrid-lsqr");
	test_sound("lbfgs");
	test_sound("ba-gmres");
	test_sound("hybrid-lsqr");
	test_refusals();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
