#ifndef MAIN_H
#define MAIN_H

/** The main function of a command has the parameters of main() in C. */

typedef int main_function(int argc, char *argv[]);

/** Returns the main function of the command `name`: main_NAME() in src/tools/NAME.c. Returns NULL if no
 * command has this name. */
extern main_function *command_main(const char *name);

#endif
