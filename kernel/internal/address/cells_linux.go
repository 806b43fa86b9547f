package address

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ForCells is the address space in bytes that the kernel, a worker and the compiler take, each of
// them: a worker of compiled cells began with 1,500 MB at each of many starts.
const ForCells = 2_000_000_000

// CheckForCells returns an error if this process may use less address space than cells need.
func CheckForCells() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("find the limit of address space: %w", err)
	}
	if limit.Cur >= ForCells {
		return nil
	}
	return fmt.Errorf("this process may use %d MB of address space (ulimit -v %d), and cells need %d MB; raise or remove that limit, and limit cells by --memory instead", limit.Cur/1e6, limit.Cur/1024, ForCells/1_000_000)
}
