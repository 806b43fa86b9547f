package machine

import (
	"os"
	"runtime"
	"strconv"
)

// The variables by which a process knows what the job that it is in was given, the first that is
// set: those of a part of a farm (package farm), and those of Slurm's.
var (
	processors = []string{"HIERML_PROCESSORS", "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"}
	mebibytes  = []string{"HIERML_MEMORY", "SLURM_MEM_PER_NODE"}
	perCPU     = []string{"SLURM_MEM_PER_CPU"} // in MiB
)

// Processors returns the number of processors that this process may use: those of Go's, which the
// control groups and the affinity bound, or fewer if the job that it is in was given fewer.
func Processors() int {
	n := runtime.GOMAXPROCS(0)
	if given := given(processors); given > 0 {
		return int(min(int64(n), given))
	}
	return n
}

// memoryOfJob returns the bytes that the job was given, 0 if it is in none or has the whole
// machine.
func memoryOfJob() int64 {
	if n := given(mebibytes); n > 0 {
		return n << 20
	}
	return given(perCPU) * max(1, given(processors)) << 20
}

// given is the number that the first variable has which is set, 0 if that is none above zero.
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

// lower is the lower of two limits, of which 0 is none.
func lower(a, b int64) int64 {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}
