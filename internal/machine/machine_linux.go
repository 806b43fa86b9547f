package machine

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory returns how many bytes of the machine's memory the control groups and the job of this
// process allow; 0 if unknown.
func Memory() int64 {
	var info unix.Sysinfo_t
	var machine int64
	if err := unix.Sysinfo(&info); err == nil {
		machine = int64(uint64(info.Totalram) * uint64(info.Unit))
	}
	return lower(lower(machine, memoryOfGroups(os.DirFS("/"))), memoryOfJob())
}

// memoryOfGroups returns the lowest limit of the control groups of this process, in either version;
// 0 if there is none. Inside a container, groups named from outside do not exist: of nested groups,
// all existing ones count.
func memoryOfGroups(root fs.FS) int64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	var lowest int64
	consider := func(folder, group, file string) {
		for {
			text, err := fs.ReadFile(root, path.Join(folder, group, file))
			if err == nil {
				// "max", or a number near the maximum in version 1, means no limit.
				n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
				if err == nil && n > 0 && n < 1<<62 {
					lowest = lower(lowest, n)
				}
			}
			if group == "" {
				return
			}
			group = strings.TrimSuffix(path.Dir(group), ".")
		}
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		group := strings.Trim(path.Clean("/"+parts[2]), "/")
		switch {
		case parts[0] == "0" && parts[1] == "":
			consider("sys/fs/cgroup", group, "memory.max")
			consider("sys/fs/cgroup/unified", group, "memory.max")
		case strings.Contains(","+parts[1]+",", ",memory,"):
			consider("sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
		}
	}
	return lowest
}
