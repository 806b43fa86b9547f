//go:build !unix

package farm

import (
	"errors"
	"os/exec"
)

func detach(*exec.Cmd) {}

func lives(int, string) bool { return false }

func end(int) error { return errors.ErrUnsupported }
