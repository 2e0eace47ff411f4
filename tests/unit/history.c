/* History lines: quoting, IDs, originals, steps with several outputs, the script's safety. */

#include <fcntl.h>
#include <sys/stat.h>

#include "check.h"
#include "misc/file/cfl.h"
#include "misc/file/history.h"
#include "misc/file/history_line.h"
#include "misc/file/history_safety.h"
#include "misc/mem.h"
#include "misc/options/opt.h"

static char *line_of(const char *words)
{
	char id[17];

	history_id(id, words, strlen(words));
	return mem_printf("%s: %s\n", id, words);
}

static void test_quotes(void)
{
	static const char *const texts[] = {"plain", "", "two words", "it's", "@0123456789abcdef", "<a:1:b>",
	        ">", ">1", "--flag", "-2", "a=b", "line\nfeed", "\n", "'", "''", "a'\nb", "$(rm x)", "`x`",
	        "back\\slash", "\\", "tab\t", "é", "$'\\n'", "a:b:c", "*", "#", "x:", "~"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct str s = {0};

		str_add(&s, "tool --opt=");
		history_quote(&s, texts[i]);
		str_add(&s, " ");
		history_quote(&s, texts[i]);
		str_add(&s, " ");
		history_original_format(&s, *texts[i] ? texts[i] : "x", 12, "abc");
		str_add(&s, " >");

		char *line = line_of(s.data);
		struct history_line l;
		bool good = history_line_parse(&l, line) && 5 == l.n && !strchr(s.data, '\n');

		good = good && HISTORY_TEXT == l.words[1].kind && 0 == strcmp(l.words[1].text, texts[i]) &&
		       l.words[1].option;
		good = good && HISTORY_TEXT == l.words[2].kind && 0 == strcmp(l.words[2].text, texts[i]) &&
		       !l.words[2].option;
		good = good && HISTORY_ORIGINAL == l.words[3].kind &&
		       0 == strcmp(l.words[3].text, *texts[i] ? texts[i] : "x") && 12 == l.words[3].bytes &&
		       0 == strcmp(l.words[3].hash, "abc");
		good = good && HISTORY_OUTPUT == l.words[4].kind && 1 == l.outputs;
		check(good, "text %zu comes back from %.*s", i, (int)strcspn(s.data, "\n"), s.data);
		history_line_free(&l);
		free(line);
		free(s.data);
	}
}

static void test_lines(void)
{
	struct history_line l;
	char *line = line_of("join --x=@0123456789abcdef --flag 0 @fedcba9876543210.2 >1 >2");

	check(history_line_parse(&l, line) && 7 == l.n && 2 == l.outputs && 2 == l.words[6].output &&
	                !l.words[2].text && HISTORY_ARRAY == l.words[1].kind &&
	                0 == strcmp(l.words[4].text, "fedcba9876543210.2"),
	        "references, flags, outputs");
	history_line_free(&l);

	line[20] ^= 1;
	check(!history_line_parse(&l, line), "a changed line has the wrong ID");
	history_line_free(&l);
	free(line);

	static const char *const bad[] = {"", "Tool >", "-x >", "a;b >", "tool 'open", "tool @0123 >",
	        "tool @0123456789abcdef. >", "tool <a:b>", "tool <a:1:../b>", "tool <a:-1:b>", "tool <:1:b>",
	        "tool >0", "tool >x", "'to ol' >", "--tool >"};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		line = line_of(bad[i]);
		check(!history_line_parse(&l, line), "malformed: %s", bad[i]);
		history_line_free(&l);
		free(line);
	}

	check(!history_line_parse(&l, "0123: x") && !history_line_parse(&l, ""), "no line at all");
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || EOF == fputs(text, f) || 0 != fclose(f))
		check(false, "cannot write %s", path);
}

static void test_last(void)
{
	char *last = history_last("0123456789abcdef: a >\nfedcba9876543210: b >\n");

	check(last && 0 == strcmp(last, "@fedcba9876543210"), "the last step made the array");
	free(last);
	last = history_last("0123456789abcdef: a >1 >2\n@0123456789abcdef.2\n");
	check(last && 0 == strcmp(last, "@0123456789abcdef.2"), "one output of several");
	free(last);
	check(!history_last(NULL) && !history_last("something else\n"), "no history of ours");
}

/* A command with two outputs, in a process of its own. */
static void two_outputs(void)
{
	const char *in, *a, *b, *angles = NULL;
	long n = 3;
	bool fast = false;
	const struct opt opts[] = {
	        OPT_LONG('n', "number", &n, "N", 0, 0, "a number"),
	        OPT_FLAG(0, "fast", &fast, "a flag"),
	        OPT_INFILE(0, "angles", &angles, "FILE", "a file"),
	        ARG_IN("IN", &in, "in"),
	        ARG_OUT("A", &a, "out"),
	        ARG_OUT("B", &b, "out"),
	        OPT_END,
	};
	char *argv[] = {
	        "two", "-j", "2", "--angles", "./list", "--fast", "d/../orig.cfl", "-n5", "a", "b", NULL};

	tool_init(&(struct tool){.name = "two", .about = "Test", .opts = opts}, 10, argv);

	struct cfl *x = cfl_open(in);
	struct cfl *y = cfl_create(a, &x->hdr);
	struct cfl *z = cfl_create(b, &x->hdr);

	cfl_close(x);
	cfl_close(y);
	cfl_close(z);
}

static void join_them(void)
{
	const char *a, *b, *out;
	const struct opt opts[] = {
	        ARG_IN("A", &a, "in"), ARG_IN("B", &b, "in"), ARG_OUT("OUT", &out, "out"), OPT_END};
	char *argv[] = {"joined", "b", "a", "out", NULL};

	tool_init(&(struct tool){.name = "joined", .about = "Test", .opts = opts}, 4, argv);

	struct cfl *x = cfl_open(a);
	struct cfl *y = cfl_open(b);

	cfl_close(cfl_create(out, &x->hdr));
	cfl_close(x);
	cfl_close(y);
}

static void test_steps(void)
{
	char text[1000], hash[40];
	long bytes;

	put("list", "1 2 3\n");
	put("orig.hdr", "# Dimensions\n2\n# Type\nuint8\n");
	put("orig.cfl", "ab");
	mkdir("d", 0777);
	check(100 == status_of(two_outputs, text, sizeof text), "a command with two outputs: %s", text);

	struct cfl *a = cfl_open("a"), *b = cfl_open("b");
	char *of_list = history_hash_file("list", &bytes), *of_data = history_hash_file("orig.cfl", &bytes);
	char *step =
	        mem_printf("two --angles=<list:6:%s> --fast --number=5 <orig:2:%s> >1 >2", of_list, of_data);
	char *line = line_of(step);
	char *expected_a = mem_printf("%s@%.16s.1\n", line, line),
	     *expected_b = mem_printf("%s@%.16s.2\n", line, line);

	check(0 == strcmp(a->hdr.history, expected_a), "first output: %.*s",
	        (int)strcspn(a->hdr.history, "\n"), a->hdr.history);
	check(0 == strcmp(b->hdr.history, expected_b), "second output");
	snprintf(hash, sizeof hash, "%.16s", line);
	cfl_close(a);
	cfl_close(b);
	check(100 == status_of(join_them, text, sizeof text), "a command that takes both: %s", text);

	struct cfl *out = cfl_open("out");
	char *joined = mem_printf("joined @%s.2 @%s.1 >", hash, hash);
	char *second = line_of(joined);
	char *expected = mem_printf("%s%s", line, second);

	check(0 == strcmp(out->hdr.history, expected), "the shared step appears once, in front");

	char *script = history_script(out->hdr.history, "d/out.cfl", NULL);

	snprintf(text, sizeof text,
	        "\ngantry two --angles=list --fast --number=5 orig gantry-%s.1 gantry-%s.2\n", hash, hash);
	check(strstr(script, text), "the script makes both outputs");
	snprintf(text, sizeof text, "\ngantry joined gantry-%s.2 gantry-%s.1 out\n", hash, hash);
	check(strstr(script, text), "and uses both");
	snprintf(text, sizeof text, "gantry history --verify '<orig:2:%s>'\n", of_data);
	check(strstr(script, text), "the original is checked");
	cfl_close(out);

	char *all[] = {
	        of_list, of_data, step, line, expected_a, expected_b, joined, second, expected, script};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

/* Texts that want to be commands must stay words. */
static void test_injection(void)
{
	char *line = line_of("copy --note='; touch hacked #' '$(touch hacked)' <'x`touch hacked`':1:ab> '| "
	                     "touch hacked'$'\\n''touch hacked' >");
	char *script = history_script(line, "x; touch hacked", NULL);

	put("script.sh", script);
	mkdir("bin", 0777);
	put("bin/gantry", "#!/bin/sh\nfor i; do printf '%s|' \"$i\"; done >>said\n");
	chmod("bin/gantry", 0755);
	check(0 == system("PATH=$PWD/bin:$PATH sh ./script.sh") && 0 != access("hacked", F_OK),
	        "texts do not become commands");

	FILE *f = fopen("said", "r");
	char text[1000] = "";

	check(f && fread(text, 1, sizeof text - 1, f) > 0, "the words were passed on");
	fclose(f);
	check(strstr(text, "copy|--note=; touch hacked #|$(touch hacked)|x`touch hacked`|| touch "
	                   "hacked\ntouch hacked|x; touch hacked|"),
	        "unchanged: %s", strchr(text, '\n') ? "" : text);
	free(script);
	free(line);

	line = line_of("copy <../../etc/passwd:1:ab> </etc/passwd:1:ab> </etc/passwd:2:cd> >");
	script = history_script(line, "x", NULL);
	check(!strstr(script, "..") && !strstr(script, "/etc"), "originals do not lead out of the folder");
	check(strstr(script, "\ngantry copy passwd passwd cd/passwd x\n"),
	        "two originals of one name are told apart");
	free(script);
	free(line);
}

/* Against a table of commands: what does more than make arrays is left out. */
static void test_danger(void)
{
	static const char table[] = "command\tjoin\tJoin\t\n"
	                            "argument\tDIM\t\ta\n"
	                            "argument\tIN\tm\tb\n"
	                            "argument\tOUT\to\tc\n"
	                            "option\tfast\t\td\n"
	                            "option\tlog\tnw\te\n"
	                            "option\tresume\tn\tf\n"
	                            "option\tplug\tr\tg\n"
	                            "option\textra\to\th\n"
	                            "command\tpairs\tPairs\t\n"
	                            "argument\tDIM SIZE\tmp\ta\n"
	                            "argument\tOUT\to\tb\n"
	                            "argument\tMORE\t?o\tc\n";
	static const struct {
		const char *words, *danger; // NULL: none
	} cases[] = {
	        {"join 0 <a:1:b> >", NULL},
	        {"join --fast --loop=z --extra=>1 0 <a:1:b> <c:1:b> text >2 <silent:1:b>", NULL},
	        {"pairs x 1 y 2 z 3 >", NULL},
	        {"pairs x 1 >1 >2", NULL},
	        {"other 0 <a:1:b> >", "other is not a command"},
	        {"join 0 <a:1:b>", "join makes no array"},
	        {"join 0 >", "2 arguments are not"},
	        {"join 0 a ../b >1 /c", "OUT is another array"},
	        {"join 0 a > @0123456789abcdef", "OUT is another array"},
	        {"join 0 a b=>", "OUT is another array"},
	        {"pairs x 1 > 3 4 5", "OUT is another array"},
	        {"join --fas 0 a >", "--fas is not an option"},
	        {"join --log 0 a >", "--log writes a file"},
	        {"join --log=>1 0 a >2", "--log writes a file"},
	        {"join --resume 0 a >", "--resume is not part of histories"},
	        {"join --plug='x' 0 a >", "--plug runs a program"},
	        {"join --extra='/x' 0 a >", "--extra writes another array"},
	        {"join 0 a --fast >", "--fast comes after an argument"},
	        {"join --a\033b 0 a >", "--a\\x1bb is not an option"},
	};
	struct commands known;

	commands_parse(&known, mem_strdup(table), "table");

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *line = line_of(cases[i].words);
		struct history_line l;

		check(history_line_parse(&l, line), "parsed: %s", cases[i].words);

		char *danger = history_danger(&l, &known);

		if (cases[i].danger)
			check(danger && strstr(danger, cases[i].danger), "%s: %s", cases[i].words, danger);
		else
			check(!danger, "%s is safe: %s", cases[i].words, danger ? danger : "");

		free(danger);
		history_line_free(&l);
		free(line);
	}

	commands_free(&known);
}

static const char *bad_history;

static void bad_script(void)
{
	history_script(bad_history, "x", NULL);
}

static void test_bad(void)
{
	bad_history = "0123456789abcdef: copy >\n";
	check_ends(1, "x: damaged history", bad_script, "a wrong ID");

	char *line = line_of("copy @0123456789abcdef >");

	bad_history = line;
	check_ends(1, "unknown step @0123456789abcdef", bad_script, "a missing step");
	free(line);
	bad_history = NULL;
	check_ends(1, "x has no history", bad_script, "no history");
}

static void test_large(void)
{
	const long large = (1L << 30) + 12345;
	long bytes;
	int fd = open("large", O_RDWR | O_CREAT, 0666);

	if (0 != ftruncate(fd, large)) {
		printf("ok hash of a large file # skip: no sparse files\n");
		return;
	}

	char *hash = history_hash_file("large", &bytes);

	check(0 == strncmp(hash, "part-", 5) && 37 == strlen(hash) && large == bytes, "over 1 GiB: %s", hash);

	const long marks[] = {0, (16L << 20) - 1, (large - (16L << 20)) / 2,
	        (large - (16L << 20)) / 2 + (16L << 20) - 1, large - (16L << 20), large - 1};

	for (int i = 0; i < 6; i++) {
		check(1 == pwrite(fd, "x", 1, marks[i]), "a mark at %ld", marks[i]);
		char *other = history_hash_file("large", &bytes);
		check(0 != strcmp(hash, other), "is seen");
		free(hash);
		hash = other;
	}

	bool marked = 1 == pwrite(fd, "x", 1, 100L << 20);
	char *other = history_hash_file("large", &bytes);

	check(marked && 0 == strcmp(hash, other), "between the parts nothing is seen");
	free(other);
	free(hash);
	close(fd);
}

int main(void)
{
	char room[SCRATCH], *folder = scratch_name(room), clean[SCRATCH + 10];

	if (!mkdtemp(folder) || 0 != chdir(folder))
		return 2;

	test_quotes();
	test_lines();
	test_last();
	test_steps();
	test_injection();
	test_danger();
	test_bad();
	test_large();
	snprintf(clean, sizeof clean, "rm -r %s", folder);

	if (0 != chdir("/") || 0 != system(clean))
		return 2;

	return checks_failed > 0;
}
