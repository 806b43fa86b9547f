package machine

import (
	"testing"
	"testing/fstest"
)

func TestMemoryOfGroups(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no groups", nil, 0},
		{"version 2", map[string]string{
			"proc/self/cgroup":                 "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":     "max\n",
			"sys/fs/cgroup/a/memory.max":       "3000\n",
			"sys/fs/cgroup/memory.max":         "5000\n",
			"sys/fs/cgroup/a/b/c/memory.max":   "1\n",
			"sys/fs/cgroup/memory.swap.max":    "2\n",
			"sys/fs/cgroup/a/b/memory.high":    "3\n",
			"sys/fs/cgroup/other/memory.max":   "4\n",
			"sys/fs/cgroup/a/other/memory.max": "5\n",
		}, 3000},
		{"version 2 within a container", map[string]string{
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "4000\n",
		}, 4000},
		{"version 2, nowhere a limit", map[string]string{
			"proc/self/cgroup":           "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n",
		}, 0},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/a/b\n1:name=systemd:/a\n",
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "6000\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes":   "2000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes":   "1\n",
		}, 2000},
		{"version 1, named from outside of the container", map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/abc\n0::/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "7000\n",
		}, 7000},
		{"both versions", map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n0::/u\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9000\n",
			"sys/fs/cgroup/unified/u/memory.max":         "8000\n",
		}, 8000},
		{"garbage", map[string]string{
			"proc/self/cgroup":         "0::/../..\nx\n::\n4:memory\n",
			"sys/fs/cgroup/memory.max": "-1\n",
		}, 0},
	} {
		root := fstest.MapFS{}
		for name, text := range tt.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryOfGroups(root); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
