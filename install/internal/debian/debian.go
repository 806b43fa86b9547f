// Package debian installs packages of the system, where it is Debian or one made of it. Which ones
// are needed is left to its callers.
package debian

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ErrNotHere says that packages cannot be installed: there is no apt-get, or the user has no right
// to use it.
var ErrNotHere = errors.New("packages can be installed only with apt-get, as root or with sudo without a password")

// Install installs packages, with apt-get. The error is ErrNotHere, or says why it did not.
func Install(ctx context.Context, packages ...string) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return ErrNotHere
	}
	command := []string{apt}
	if os.Geteuid() != 0 {
		if exec.CommandContext(ctx, "sudo", "-n", "true").Run() != nil {
			return ErrNotHere
		}
		command = []string{"sudo", "-n", "DEBIAN_FRONTEND=noninteractive", apt}
	}
	for _, args := range [][]string{{"update", "-q"}, append([]string{"install", "-q", "-y", "--no-install-recommends"}, packages...)} {
		words := append(command[:len(command):len(command)], args...)
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
