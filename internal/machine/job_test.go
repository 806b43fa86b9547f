package machine

import (
	"runtime"
	"testing"
)

// TestJob takes what a job was given, where that is less than the machine has.
func TestJob(t *testing.T) {
	for _, names := range [][]string{processors, mebibytes, perCPU} {
		for _, name := range names {
			t.Setenv(name, "")
		}
	}
	cores, memory := runtime.GOMAXPROCS(3), Memory()
	defer runtime.GOMAXPROCS(cores)
	for _, test := range []struct {
		name       string
		variables  map[string]string
		processors int
		memory     int64 // 0 for that of the machine
	}{
		{"no job", nil, 3, 0},
		{"a task", map[string]string{"SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "1", "SLURM_MEM_PER_NODE": "64"}, 2, 64 << 20},
		{"a job without --cpus-per-task", map[string]string{"SLURM_CPUS_ON_NODE": "1"}, 1, 0},
		{"memory a processor", map[string]string{"SLURM_CPUS_PER_TASK": "2", "SLURM_MEM_PER_CPU": "32"}, 2, 64 << 20},
		{"a part", map[string]string{"HIERML_PROCESSORS": "1", "HIERML_MEMORY": "8", "SLURM_CPUS_PER_TASK": "2", "SLURM_MEM_PER_NODE": "64"}, 1, 8 << 20},
		{"more than there is", map[string]string{"SLURM_CPUS_PER_TASK": "64", "SLURM_MEM_PER_NODE": "1000000000"}, 3, 0},
		{"all of the memory", map[string]string{"SLURM_MEM_PER_NODE": "0"}, 3, 0},
		{"no numbers", map[string]string{"SLURM_CPUS_PER_TASK": "two", "SLURM_MEM_PER_NODE": "-3"}, 3, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, value := range test.variables {
				t.Setenv(name, value)
			}
			want := test.memory
			if want == 0 {
				want = memory
			}
			if n, m := Processors(), Memory(); n != test.processors || m != want && memory > 0 {
				t.Errorf("%d processors and %d bytes, want %d and %d", n, m, test.processors, want)
			}
		})
	}
}

// TestFileSystemOf tells what is a network's from what is not.
func TestFileSystemOf(t *testing.T) {
	if _, err := FileSystemOf("/no/such/folder"); err == nil && runtime.GOOS == "linux" {
		t.Error("a folder that is not there has a file system")
	}
	if s, err := FileSystemOf(t.TempDir()); err != nil || s.Shared && s.Name == "" {
		t.Errorf("%+v, %v", s, err)
	}
}
