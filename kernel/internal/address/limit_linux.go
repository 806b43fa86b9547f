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

// least is the address space that any command needs, in bytes. Go's run time reserves 600 MB, and
// then 512 MB more if it can. If that leaves too little for the heap, it dies: at 1,350 MB each of
// 60 starts did, at 1,470 MB two of 60, and from 1,500 MB on none.
static const rlim_t least = 1600000000;

__attribute__((constructor)) static void look(void) {
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
		return;
	}
	if (limit.rlim_cur < least) {
		dprintf(STDERR_FILENO, "hierml: this process may use %llu MB of address space (ulimit -v %llu), and %llu MB are needed; raise or remove that limit, and limit cells by --memory instead\n",
			(unsigned long long)(limit.rlim_cur / 1000000), (unsigned long long)(limit.rlim_cur / 1024), (unsigned long long)(least / 1000000));
		_exit(1);
	}
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1); // otherwise each thread reserves 64 MB
#endif
}
*/
import "C"
