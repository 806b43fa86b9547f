// Package slurm finds the programs of the workload manager Slurm for the tests on a cluster, and
// installs them where the system's packages may be used. The cluster is set up by the tests.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/hierml/notebook/install/internal/debian"
)

// ErrMissing says that Slurm was not found, and what to install.
var ErrMissing = errors.New("there is no Slurm on this machine, or you may not run its daemons; install it (on Debian: apt-get install slurm-wlm munge iproute2), and run the tests as root")

// Find checks whether a cluster can be set up. The error is ErrMissing, with the missing program.
func Find() error {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w: %s", ErrMissing, program)
		}
	}
	if os.Geteuid() != 0 {
		return ErrMissing
	}
	return nil
}

// Install installs Slurm from the system's packages. The error says why it did not.
func Install(ctx context.Context) error {
	err := debian.Install(ctx, "slurm-wlm", "munge", "iproute2")
	if errors.Is(err, debian.ErrNotHere) {
		return ErrMissing
	}
	return err
}
