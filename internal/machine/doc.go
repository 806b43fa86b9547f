// Package machine reports how much of the machine a process may use: memory and processors, within
// the limits of its control groups and of its Slurm job. It also reports which folders other
// machines may see.
//
// Wrong when it misses a limit that the system enforces, so that the process is killed.
package machine
