//go:build unix

package main

import "syscall"

// ownCPU returns the user and system time of this process, in seconds.
func ownCPU() (float64, error) { return cpuSeconds(syscall.RUSAGE_SELF) }

// childrenCPU returns those of the processes that this one has waited for.
func childrenCPU() (float64, error) { return cpuSeconds(syscall.RUSAGE_CHILDREN) }

func cpuSeconds(who int) (float64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0, err
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, nil
}
