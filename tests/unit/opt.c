/** Tests of command lines: options, arguments, invalid input, the words of the history. */

#include <stdlib.h>

#include "check.h"
#include "misc/error.h"
#include "misc/options/opt.h"
#include "misc/options/opt_internal.h"
#include "num/device/device_choice.h"

/** What the table of the tests fills in. */
static struct {
	bool flag, given;
	long count;
	double lambda;
	complex double factor;
	const char *weights, *in, *out, *optional;
	int choice, type, dim;
	struct opt_longs size;
	struct opt_doubles spacing;
	struct opt_list many;
	const char *log;
} v;

static void defaults(void)
{
	memset(&v, 0, sizeof v);
	v.count = 30;
	v.type = -1;
}

static const struct opt options[] = {
        OPT_FLAG('c', "centre", &v.flag, "a flag"),
        {'n', "count", OPT_KIND_LONG, &v.count, "N", "a number", 0, 1, 100, &v.given},
        OPT_DOUBLE(0, "lambda", &v.lambda, "L", 0, 1e300, "a real number"),
        OPT_ARRAY(0, "weights", &v.weights, "W", "an array"),
        OPT_CHOICE(0, "filter", &v.choice, "ramp|shepp-logan|hann", "a choice"),
        OPT_LONGS(0, "size", &v.size, "NX:NY", 1, 1e18, "a size"),
        OPT_DOUBLES(0, "spacing", &v.spacing, "MM", 1e-9, 1e9, "lengths"),
        OPT_TYPE(&v.type),
        OPT_OUTFILE(0, "log", &v.log, "FILE", "a log"),
        ARG_COMPLEX("FACTOR", &v.factor, "a factor"),
        ARG_IN("IN", &v.in, "an input"),
        ARG_OUT("OUT", &v.out, "an output"),
        OPT_END,
};

static const struct opt with_optional[] = {
        ARG_IN("IN", &v.in, "an input"),
        ARG_OUT_OPTIONAL("OUT", &v.optional, "an output"),
        OPT_END,
};

static const struct opt with_many[] = {
        ARG_DIM("DIM", &v.dim, "a dimension"),
        ARG_IN_MANY("IN", &v.many, "inputs"),
        ARG_OUT("OUT", &v.out, "an output"),
        OPT_END,
};

static const struct opt with_pairs[] = {
        ARG_PAIRS("DIM SIZE", &v.many, "pairs"),
        ARG_IN("IN", &v.in, "an input"),
        ARG_OUT("OUT", &v.out, "an output"),
        OPT_END,
};

enum { WORDS_MOST = 16 };

/** Splits the line at blanks and parses it; '' is an empty word. */
static void parse(const struct opt *table, const char *line)
{
	static char text[512];
	char *argv[WORDS_MOST + 1] = {0}, *p = text;
	int argc = 0;

	snprintf(text, sizeof text, "test %s", line);
	while (p && argc < WORDS_MOST) {
		char *w = strsep(&p, " ");
		if (*w)
			argv[argc++] = strcmp(w, "''") ? w : w + 2;
	}

	defaults();
	const struct tool tool = {.name = "test", .about = "Test", .opts = table};
	tool_init(&tool, argc, argv);
}

static void test_options(void)
{
	parse(options, "2 x y");
	check(v.factor == 2 && !strcmp(v.in, "x") && !strcmp(v.out, "y") && v.count == 30 && !v.given,
	        "arguments alone");
	parse(options, "-c --count=7 2 x y --lambda 0.5");
	check(v.flag && v.count == 7 && v.given && v.lambda == 0.5, "options before and after arguments");
	parse(options, "-n4 2 x y");
	check(v.count == 4, "-n4");
	parse(options, "-n 4 2 x y");
	check(v.count == 4, "-n 4");
	parse(options, "-cqn4 2 x y");
	check(v.count == 4 && v.flag && log_level == -1, "short options together");
	parse(options, "--cou 5 2 x y");
	check(v.count == 5, "a unique prefix");
	parse(options, "--si 4:5:6 --sp .5:1e-1 2 x y");
	check(v.size.n == 3 && v.size.v[2] == 6 && v.spacing.n == 2 && v.spacing.v[1] == 0.1,
	        "lists with colons");
	parse(options, "--filter hann --type uint16 2 x y");
	check(v.choice == 2 && v.type == DT_UINT16, "choice and type");
	parse(options, "--count 5 --count 6 2 x y");
	check(v.count == 6, "the last one of two counts");
}

static void test_negative(void)
{
	parse(options, "-2 x y");
	check(v.factor == -2, "a negative number is an argument");
	parse(options, "-1+2i x y");
	check(v.factor == -1 + 2 * I, "a complex number is an argument");
	parse(options, "-.5 x y");
	check(v.factor == -.5, "-.5 is an argument");
	parse(options, "-i x y");
	check(v.factor == -1 * I, "-i is an argument where no option is called so");
	parse(options, "2 - -");
	check(!strcmp(v.in, "-") && !strcmp(v.out, "-"), "one stream in, one out");
	parse(options, "2 -- -x --y");
	check(!strcmp(v.in, "-x") && !strcmp(v.out, "--y"), "after -- everything is an argument");
}

static void test_counts(void)
{
	parse(with_optional, "a");
	check(!strcmp(v.in, "a") && !v.optional, "an optional argument left out");
	parse(with_optional, "a b");
	check(v.optional && !strcmp(v.optional, "b"), "an optional argument given");
	parse(with_many, "z a b c out");
	check(v.dim == 2 && v.many.n == 3 && !strcmp(v.many.v[2], "c") && !strcmp(v.out, "out"),
	        "many inputs before an output");
	parse(with_pairs, "x 10 y 20 in out");
	check(v.many.n == 4 && !strcmp(v.many.v[3], "20") && !strcmp(v.in, "in"), "pairs");
}

static const char *refused_line;
static const struct opt *refused_table;

static void parse_refused(void)
{
	parse(refused_table, refused_line);
}

static void refused(const struct opt *table, const char *line, const char *part)
{
	char name[256];

	refused_line = line;
	refused_table = table;
	snprintf(name, sizeof name, "refused: %s", *line ? line : "(nothing)");
	check_ends(2, part, parse_refused, name);
}

static void test_refused(void)
{
	refused(options, "", "missing arguments: 0 given, expected FACTOR IN OUT");
	refused(options, "2 x", "missing argument: 2 given");
	refused(options, "2 x y z", "unexpected argument 'z', expected FACTOR IN OUT");
	refused(options, "2 x y --filtre hann", "did you mean --filter?");
	refused(options, "2 x y --xyzzy", "unknown option --xyzzy");
	refused(options, "2 x y -z", "unknown option -z");
	refused(options, "2 x y --s 3", "--size, --spacing, --sync");
	refused(options, "2 x y --count", "--count needs a value (N)");
	refused(options, "2 x y -n", "-n needs a value");
	refused(options, "2 x y --count 0", "--count: 0, expected 1..100");
	refused(options, "2 x y --count 1.5", "--count: '1.5' is not an integer");
	refused(options, "2 x y --lambda -1", "--lambda: -1, expected 0 or more");
	refused(options, "2 x y --lambda nan", "--lambda: 'nan' is not a number");
	refused(options, "2 x y --centre=1", "--centre takes no value");
	refused(options, "2 x y --filter rump", "did you mean 'ramp'?");
	refused(options, "2 x y --type flaot32", "did you mean 'float32'?");
	refused(options, "2 x y --spacing 1:0", "--spacing: 1:0, expected 1e-9..1e9");
	refused(options, "2 x y --size 1:0", "--size: 1:0, expected 1 or more");
	refused(options, "x y z", "FACTOR: 'x' is not a number");
	refused(options, "2 '' y", "IN: the file name is empty");
	refused(options, "2 x ''", "OUT: the file name is empty");
}

static void test_streams_and_pairs(void)
{
	refused(options, "2 - y --weights -", "'-' is given for 2 inputs");
	refused(with_many, "0 - - out", "'-' is given for 2 inputs");
	refused(with_pairs, "x 10 y in out", "expected pairs");
	refused(with_many, "0 out", "missing argument: 2 given");
	refused(with_optional, "a b c", "unexpected argument");
	refused(options, "2 x y -j 0", "--threads: 0, expected 1..1024");
	refused(options, "2 x y -j x", "--threads: 'x' is not an integer");
	refused(options, "2 x y --device tpu", "--device: 'tpu' is not a device");
	refused(options, "2 x y --device cpu -g", "contradict");
}

static void with_threads_in_environment(void)
{
	setenv("GANTRY_THREADS", "many", 1);
	parse(options, "2 x y");
}

static void with_device_in_environment(void)
{
	setenv("GANTRY_DEVICE", "gpu", 1);
	parse(options, "2 x y");
}

static void with_bad_memory(void)
{
	setenv("GANTRY_MEM", "much", 1);
	parse(options, "2 x y");
}

static void with_little_memory(void)
{
	setenv("GANTRY_MEM", "100M", 1);
	parse(options, "2 x y");
	tool_needs(100L << 20, 0); // just enough
	tool_needs((100L << 20) + 1, 0);
}

static void with_gpu(void)
{
	parse(options, "2 x y -g0");
}

static void test_common(void)
{
	parse(options, "2 x y -j 3 --force --plan --sync --profile");
	check(tool_threads() == 3 && tool_force() && tool_plan() && tool_sync() && tool_profile(),
	        "common options");
	check(!tool_no_clobber(), "existing outputs are replaced");
	parse(options, "2 x unit-opt-output --no-clobber");
	check(tool_no_clobber(), "unless --no-clobber says otherwise");
	parse(options, "2 x y --device cpu");
	check(!tool_force() && !tool_plan() && log_level == 0, "a new command line starts afresh");
	setenv("GANTRY_THREADS", "5", 1);
	parse(options, "2 x y");
	check(tool_threads() == 5, "GANTRY_THREADS");
	parse(options, "2 x y -j2");
	check(tool_threads() == 2, "-j is stronger than GANTRY_THREADS");
	unsetenv("GANTRY_THREADS");

	check_ends(2, "GANTRY_THREADS: 'many'", with_threads_in_environment, "a bad GANTRY_THREADS");
	check_ends(2, "GANTRY_MEM: 'much'", with_bad_memory, "a bad GANTRY_MEM");
	check_ends(1, "100 MiB of memory are needed, but GANTRY_MEM allows 100 MiB", with_little_memory,
	        "more memory than GANTRY_MEM allows");
	check_ends(2, "GANTRY_DEVICE: no GPU implementation", with_device_in_environment,
	        "GANTRY_DEVICE=gpu of a program that computes on none");
	tool_on_device(device_choose);
	check_ends(1, "GANTRY_DEVICE: no GPU can be used", with_device_in_environment,
	        "GANTRY_DEVICE=gpu without a GPU back end");
	check_ends(1, "--gpu: no GPU can be used", with_gpu, "-g0 without a GPU back end");
}

/** The words joined by blanks: a(rray) f(ile) t(ext) o(utput) and option=text. */
static const char *words(void)
{
	static char s[512];
	const struct tool_word *w;
	const int n = tool_words(&w);
	size_t at = 0;

	s[0] = 0;
	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(s + at, sizeof s - at, "%s%c:%s%s%s", i ? " " : "", "tafo"[w[i].kind],
		        w[i].option ? w[i].option : "", w[i].option ? "=" : "", w[i].text ? w[i].text : "");
	return s;
}

static void words_are(const char *want, const char *name)
{
	const bool same = !strcmp(words(), want);
	check(same, "%s%s%s", name, same ? "" : ": ", same ? "" : words());
}

static void test_words(void)
{
	parse(options, "--weights w --lam 0.50 -qc --log l -j2 +2.0e0 x y");
	words_are("t:--centre= t:--lambda=0.5 a:--weights=w t:2 a:x o:y",
	        "words in canonical order and spelling");
	parse(options, "-.5e1+00.25i x y --size 04:5");
	words_are("t:--size=4:5 t:-5+0.25i a:x o:y", "numbers in their shortest spelling");

	parse(options, "1000000 x y --lambda 1.0e-12 --spacing 0.1:2e-7");
	words_are("t:--lambda=1e-12 t:--spacing=0.1:2e-7 t:1e6 a:x o:y",
	        "exponents in their shortest spelling");

	parse(options, "2 x y --lambda 250000 --count 1");
	words_are("t:--count=1 t:--lambda=250000 t:2 a:x o:y",
	        "large numbers without exponents, the least one allowed");

	parse(options, "2 x y --count 7");
	tool_record("size", "%d:%d", 4, 5);
	tool_record("count", "%d", 9);
	tool_record("centre", "%s", "");
	tool_record_original("picture.tif");
	words_are("t:--centre= t:--count=9 t:--size=4:5 t:2 a:x o:y f:picture.tif",
	        "recorded values replace typed ones");
	tool_record_drop("count");
	tool_record_drop("absent");
	words_are("t:--centre= t:--size=4:5 t:2 a:x o:y f:picture.tif", "a dropped option");

	parse(with_many, "z a b out");
	words_are("t:z a:a a:b o:out", "words of many arguments");
}

/* The words of a command line as a process tells another. */
static struct str saved(const char *line)
{
	struct str s = {0};

	parse(options, line);
	opt_words_save(&s);
	return s;
}

static void differ(const struct str *a, const struct str *b, const char *want)
{
	char *word = opt_words_other(a->data, (long)a->len, b->data, (long)b->len);
	const bool same = !strcmp(word, want);

	check(same, "the first other word is '%s'%s%s", want, same ? "" : ", not ", same ? "" : word);
	free(word);
}

static void test_saved(void)
{
	struct str a = saved("--count 7 --lambda 2 3 x y"), b = saved("--count 7 --lambda 4 3 x y"),
	           c = saved("-c --count 7 --lambda 2 3 x y"), d = saved("--count 7 --lambda 2 3 x z");

	differ(&a, &a, "");
	differ(&a, &b, "--lambda=2");
	differ(&b, &a, "--lambda=4");
	differ(&c, &a, "--centre");
	differ(&a, &c, "--count=7");
	differ(&a, &d, "y");
	differ(&d, &a, "z");

	// one is the beginning of the other
	struct str part = a;

	part.len -= sizeof "1o-" + sizeof "+y";
	differ(&part, &part, "");
	differ(&part, &a, "");
	differ(&a, &part, "y");

	opt_words_reset();
	opt_words_restore(d.data, (long)d.len);
	words_are("t:--count=7 t:--lambda=2 t:3 a:x o:z", "words that are saved and restored");
	free(a.data);
	free(b.data);
	free(c.data);
	free(d.data);
}

static void test_command_line(void)
{
	parse(options, "2 it's y");
	check(!strcmp(tool_command_line(), "gantry test 2 'it'\\''s' y"),
	        "the command line as typed, quoted");
	check(tool_current() && !strcmp(tool_current()->name, "test"), "the current tool");
}

static void test_flags(void)
{
	const int flags[] = {OPT_NO_HISTORY, OPT_MANY, OPT_OPTIONAL, OPT_IS_ARG, OPT_OUTPUT, OPT_PAIRS,
	        OPT_OR_NUMBER, OPT_RUNS, OPT_WRITES, OPT_STATE};
	int all = 0, shared = 0;

	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		shared |= all & flags[i];
		all |= flags[i];
	}

	check(shared == 0, "every flag of an option has a bit of its own");
}

int main(void)
{
	test_flags();
	test_options();
	test_negative();
	test_counts();
	test_refused();
	test_streams_and_pairs();
	test_common();
	test_words();
	test_saved();
	test_command_line();
	return checks_failed > 0;
}
