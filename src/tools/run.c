/** Recipes: many commands in one process, sharing arrays in memory. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "main.h"
#include "misc/error.h"
#include "misc/file.h"
#include "misc/file/cfl.h"
#include "misc/file/history.h"
#include "misc/file/recipe.h"
#include "misc/file/resident.h"
#include "misc/file/stream.h"
#include "misc/looping/looping.h"
#include "misc/mem.h"
#include "misc/options/commands.h"
#include "misc/options/opt.h"
#include "misc/options/parse.h"
#include "misc/printable.h"
#include "misc/program.h"
#include "misc/progress.h"
#include "misc/ranks/ranks.h"
#include "num/shape/spill.h"

int main_run(int argc, char *argv[]);

/** How a command came back: its exit status, or this. */
enum { TO_BE_LOOPED = 256 };

static jmp_buf back;

static void come_back(int status)
{
	longjmp(back, 1 + status);
}

static void come_back_for_loop(void)
{
	longjmp(back, 1 + TO_BE_LOOPED);
}

static main_function *find(const char *name)
{
	if (0 == strcmp(name, "run"))
		usage_error("a recipe cannot contain 'gantry run'");

	main_function *command = command_main(name);

	if (command)
		return command;

	struct commands all;

	commands_read(&all, program_folder());
	usage_error("unknown command '%s'%s", name, commands_hint(&all, name));
}

/* The text of a recipe. The commands of one that comes from standard input find that empty. */
static char *read_recipe(const char *name)
{
	if (0 != strcmp(name, "-"))
		return file_read_text(name);

	if (ranks_count() > 1)
		usage_error("'-' cannot be used with several ranks, expected the name of a file");

	char *text = NULL;
	size_t room = 0;
	const ssize_t n = getdelim(&text, &room, '\0', stdin);

	if (ferror(stdin))
		error("standard input: %s", strerror(errno));

	if (!feof(stdin))
		usage_error("standard input contains a zero byte, expected text");

	if (!freopen("/dev/null", "r", stdin))
		error("/dev/null: %s", strerror(errno));

	if (n >= 0)
		return text;

	free(text);
	return mem_strdup("");
}

/* Messages from now on name the line, after the place of the whole recipe, which is returned. */
static const char *enter_line(const struct recipe *r, long number)
{
	const char *outside = log_place;
	char *place = recipe_place(r, number);

	log_place = mem_printf("%s%s", outside, place);
	free(place);

	return outside;
}

static void leave_line(const char *outside)
{
	free((char *)log_place);
	log_place = outside;
}

/* Every line is looked at before the first one runs. */
static void check(struct recipe *r)
{
	for (long i = 0; i < r->n; i++) {
		struct recipe_line *l = &r->lines[i];
		const char *outside = enter_line(r, l->number);

		if (looping_is_option(l->argv[0])) {
			l->argv = looping_words(l->argc, l->argv);

			for (l->argc = 0; l->argv[l->argc]; l->argc++)
				;
		}

		find(l->argv[0]);

		for (int k = 1; k < l->argc; k++)
			if (0 == strcmp(l->argv[k], "--profile"))
				tool_inherit_profile();

		leave_line(outside);
	}
}

/* Names of arrays in memory that are not needed behind line i; calls drop() for each. */
static void for_last_names(const struct recipe *r, long i, void (*drop)(const char *name))
{
	for (int k = 1; k < r->lines[i].argc; k++) {
		const char *at = r->lines[i].argv[k];
		char *name;

		while ((name = recipe_next_name(&at))) {
			if (!recipe_has_name(r, i + 1, name))
				drop(name);

			free(name);
		}
	}
}

/* A line that is to be looped forks, which a process with threads cannot: it gets a process of its own. */
static int run_apart(const struct recipe_line *l)
{
	pid_t pid;
	int status;

	for (int k = 1; k < l->argc; k++) {
		const char *at = l->argv[k];

		if (recipe_next_name(&at))
			error("--loop runs the command in other processes, which cannot read arrays in "
			      "memory (use a file instead of %s)",
			        l->argv[k]);
	}

	char *path = mem_printf("%s/%s", program_folder(), l->argv[0]);
	char *threads = mem_printf("%d", tool_threads());

	setenv("GANTRY_THREADS", threads, 1);

	const int why = posix_spawn(&pid, path, NULL, NULL, l->argv, environ);

	if (why)
		error("%s: %s", path, strerror(why));

	while (waitpid(pid, &status, 0) < 0)
		if (EINTR != errno)
			error("%s: %s", path, strerror(errno));

	free(path);
	free(threads);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* One command in this process; returns its exit status. An error ends the process: what it wrote is removed
 * on the way, what earlier lines have written is there. */
static int run_here(const struct recipe_line *l)
{
	const int came = setjmp(back);

	if (0 == came)
		come_back(find(l->argv[0])(l->argc, l->argv));

	return came - 1;
}

/* What a process that ends leaves behind without harm. */
static void end_command(void)
{
	progress_forget();
	cfl_end_command();
	file_temp_remove_all();
	history_reset();
	stream_reset();
	spill_limit(-1);
}

static int run_line(const struct recipe *r, const struct recipe_line *l)
{
	const char *outside = enter_line(r, l->number);

	int status = run_here(l);

	end_command();

	if (TO_BE_LOOPED == status)
		status = (0 == ranks_rank()) ? run_apart(l) : EXIT_DONE;

	if (EXIT_DONE == status)
		ranks_line_end();

	tool_name = "run";

	if (0 != status)
		info("%s ended with status %d, so the next lines are not run", l->argv[0], status);

	leave_line(outside);
	return status;
}

static void print_line(const char *name)
{
	printf("    %s is freed\n", name);
}

static _Noreturn void print_plan(const struct recipe *r)
{
	for (long i = 0; i < r->n; i++) {
		struct str s = {0};

		for (int k = 0; k < r->lines[i].argc; k++) {
			str_add(&s, " ");
			str_add_shell(&s, r->lines[i].argv[k]);
		}

		struct str line = {0};

		str_add_printable(&line, s.data);
		printf("line %ld: gantry%s\n", r->lines[i].number, line.data);
		for_last_names(r, i, print_line);
		free(line.data);
		free(s.data);
	}

	leave(EXIT_DONE);
}

int main_run(int argc, char *argv[])
{
	const char *name = NULL;

	const struct opt opts[] = {
	        {0, "RECIPE", OPT_KIND_FILE, &name, 0,
	                "text file of command lines; - reads them from standard input", OPT_IS_ARG | OPT_RUNS,
	                0, 0, 0},
	        OPT_END,
	};

	tool_init(
	        &(struct tool){
	                .name = "run",
	                .group = GROUP_RUN,
	                .synonyms = "batch script",
	                .about = "Run a file of gantry command lines in one process, with arrays in memory",
	                .details = "Each line is a command as typed in a shell. The word gantry at the "
	                           "beginning of a line may be omitted. Words are split as in a shell, "
	                           "with quotes, backslashes and comments after #. A backslash at the end "
	                           "of a line joins the line with the next line. Unquoted variables, "
	                           "pipes, redirections and patterns are errors.\n\n"
	                           "Names that begin with @ are arrays in memory, or on the GPU. Any "
	                           "command may write and read arrays in memory. Arrays in memory are not "
	                           "written to disk. An array in memory is freed after the last line that "
	                           "uses it. Type ./@NAME for a file whose name begins with @.\n\n"
	                           "Arrays and their histories are the same as if the commands were run "
	                           "one by one. The script that 'gantry history' prints for a saved array "
	                           "therefore rebuilds this array.\n\n"
	                           "All lines are checked before the first line runs. The recipe ends at "
	                           "the first line that fails. The error message includes the name of the "
	                           "recipe and the line number. The exit status of 'gantry run' is that "
	                           "of the failed line. The failed line leaves no output, but outputs of "
	                           "earlier lines remain.\n\n"
	                           "The options --threads, --gpu, --device, --quiet, --verbose, --force "
	                           "and --sync are defaults for all lines. The option --profile prints "
	                           "totals over all lines. The option --plan prints the lines, and where "
	                           "arrays are freed. A line with --loop runs in separate processes, and "
	                           "must use files in place of arrays in memory.",
	                .examples = "gantry run recipe.txt\n"
	                            "gantry run --gpu --profile recipe.txt\n"
	                            "printf 'phantom @x\\ntraj --views 90 @g\\nproject @g @x @p\\nfbp @g @p "
	                            "rec\\n' "
	                            "| gantry run -",
	                .memory = "the arrays in memory, plus the memory of each command. GANTRY_MEM "
	                          "limits the total memory",
	                .by_parts = true,
	                .opts = opts,
	        },
	        argc, argv);

	struct recipe r;
	char *text = read_recipe(name);

	recipe_parse(&r, 0 == strcmp(name, "-") ? "standard input" : name, text);
	free(text);

	if (0 == r.n)
		usage_error("%s contains no command", r.name);

	resident_enable();
	check(&r);

	if (tool_plan())
		print_plan(&r);

	tool_inherit(come_back_for_loop);
	leave_instead = come_back;

	int status = EXIT_DONE;

	ranks_recipe();

	for (long i = 0; i < r.n && 0 == status; i++) {
		status = run_line(&r, &r.lines[i]);
		for_last_names(&r, i, resident_drop);
	}

	leave_instead = NULL;
	recipe_free(&r);
	leave(status);
}
