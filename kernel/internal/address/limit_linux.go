//go:build cgo

package address

/*
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __linux__
#include <features.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

// needed is what the kernel, the worker and the compiler take, each of them, in bytes: a worker that compiled
// cells run in began with 1,500 MB at every one of many starts, and not at each with less.
static const rlim_t needed = 2000000000;

__attribute__((constructor)) static void look(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
		return;
	}
	if (limit.rlim_cur < needed) {
		dprintf(STDERR_FILENO, "hierml: this process may use %llu MB of address space (ulimit -v %llu), and %llu MB are needed; raise or remove that limit, and limit cells by --memory instead\n",
			(unsigned long long)(limit.rlim_cur / 1000000), (unsigned long long)(limit.rlim_cur / 1024), (unsigned long long)(needed / 1000000));
		_exit(1);
	}
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1); // otherwise each thread reserves 64 MB
#endif
}
*/
import "C"
