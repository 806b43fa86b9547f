package machine

import (
	"os"
	"runtime"
	"strconv"
)

// The environment variables with the resources of the surrounding job, of which the first one that
// is set counts: those of a part of a farm (package farm), and those of Slurm.
var (
	processors = []string{"HIERML_PROCESSORS", "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"}
	mebibytes  = []string{"HIERML_MEMORY", "SLURM_MEM_PER_NODE"}
	perCPU     = []string{"SLURM_MEM_PER_CPU"} // in MiB
)

// Processors returns the number of processors that this process may use: Go's number, which
// respects the control groups and the affinity, or fewer if the surrounding job has fewer.
func Processors() int {
	n := runtime.GOMAXPROCS(0)
	if given := given(processors); given > 0 {
		return int(min(int64(n), given))
	}
	return n
}

// memoryOfJob returns the memory of the job in bytes, 0 if there is no job or it has the whole
// machine.
func memoryOfJob() int64 {
	if n := given(mebibytes); n > 0 {
		return n << 20
	}
	return given(perCPU) * max(1, given(processors)) << 20
}

// given returns the value of the first variable that is set, or 0 unless that is positive.
func given(names []string) int64 {
	for _, name := range names {
		if text := os.Getenv(name); text != "" {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil || n < 0 {
				return 0
			}
			return n
		}
	}
	return 0
}

// lower returns the lower of two limits; 0 means no limit.
func lower(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
