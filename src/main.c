/** One program for all commands except the front one: the name under which it is called selects the command.
 */

#include <stdio.h>
#include <string.h>

#include "main.h"
#include "misc/error.h"
#include "misc/program.h"
#include "num/device/device_choice.h"

#define MAIN(name, function) main_function function;
#include "mains.inc"
#undef MAIN

#define MAIN(name, function) {name, function},
static const struct {
	const char *name;
	main_function *run;
} commands[] = {
#include "mains.inc"
};
#undef MAIN

main_function *command_main(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (0 == strcmp(commands[i].name, name))
			return commands[i].run;

	return NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int main(int argc, char *argv[])
{
	const char *called = last_part(0 < argc ? argv[0] : ""), *file = last_part(program_path());
	main_function *run = command_main(called);

	if (!run) // started under another name
		run = command_main(file);

	if (!run)
		error("this program must be called by the name of a command, found '%s'", file);

	tool_on_device(device_choose);

	return run(argc, argv);
}
