// Package machine tells how much of the machine a process may use: memory and processors, within
// the limits of its control groups and of its Slurm job. It also tells which folders other machines
// may see.
//
// Wrong when a limit that the system enforces is not seen, so that the process is killed.
package machine
