//go:build !unix

package farm

import (
	"errors"
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func apart(int) bool { return false }

func look(int) (process, error) { return process{}, errors.ErrUnsupported }

var terminate = (*os.Process).Kill

func (leader) condition() string { return "false" }
