/*
 * fastld stands between Go's linker and the linker of the system. Go's linker
 * calls a C compiler: three times to try what its linker can do, and once to
 * link. The tries are answered here, and for the link the linker is called
 * without the compiler in between, which costs more than the linking.
 *
 * LINKER is the path of the linker, LIBRARY that of what compiled C may call
 * without naming it, and COMPILER that of the C compiler, which links what needs
 * libraries that the program has not loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* try answers a try: yes to what every linker here can do, no to the rest. */
static int try(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "-Wl,--build-id", 14) == 0)
			return 0;
	fputs("unrecognized\n", stderr);
	return 1;
}

/* own reports whether a flag names a library of the program. */
static int own(const char *arg)
{
	return strcmp(arg, "-lpthread") == 0 || strcmp(arg, "-ldl") == 0 || strcmp(arg, "-lresolv") == 0;
}

int main(int argc, char **argv)
{
	const char *last = argc > 1 ? argv[argc - 1] : "";
	size_t length = strlen(last);
	if (length > 2 && strcmp(last + length - 2, ".c") == 0)
		return try(argc, argv);
	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "-l", 2) == 0 && !own(argv[i])) {
			argv[0] = COMPILER;
			execv(COMPILER, argv);
			perror(COMPILER);
			return 1;
		}

	/* A flag of the compiler becomes one flag or, after -Wl, many. */
	size_t room = 3;
	for (int i = 1; i < argc; i++) {
		room++;
		for (char *c = argv[i]; *c; c++)
			if (*c == ',')
				room++;
	}
	char **to = calloc(room, sizeof *to);
	if (to == NULL) {
		perror("fastld");
		return 1;
	}
	size_t n = 0;
	to[n++] = LINKER;
	for (int i = 1; i < argc; i++) {
		char *arg = argv[i];
		if (strncmp(arg, "-Wl,", 4) == 0) {
			for (char *part = strtok(arg + 4, ","); part; part = strtok(NULL, ","))
				to[n++] = part;
		} else if (strcmp(arg, "-o") == 0 && i + 1 < argc) {
			to[n++] = arg;
			to[n++] = argv[++i];
		} else if (strcmp(arg, "-shared") == 0 || strcmp(arg, "-s") == 0) {
			to[n++] = arg;
		} else if (strcmp(arg, "-rdynamic") == 0) {
			to[n++] = "--export-dynamic";
		} else if (arg[0] != '-') {
			to[n++] = arg;
		}
		/* Machine, optimization and libraries are the program's, which is
		   running and has them loaded. */
	}
	to[n++] = LIBRARY;
	to[n] = NULL;
	execv(LINKER, to);
	perror(LINKER);
	return 1;
}
