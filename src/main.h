#ifndef MAIN_H
#define MAIN_H

/** The commands of this program. */

typedef int main_function(int argc, char *argv[]);

/** main_NAME() of src/tools/NAME.c; NULL: no command has that name. */
extern main_function *command_main(const char *name);

#endif
