package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestAddressSpace is the attack env_ulimits: with too little address space each command ends with
// a sentence, and none with a trace of Go's run time; with enough of it cells run.
func TestAddressSpace(t *testing.T) {
	const megabyte = 1_000_000
	dir := write(t, "a.go", "fmt.Println(42)\n")
	limited := func(bytesOfSpace int, args ...string) result {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -v "$1" && shift && exec "$@"`, "sh", fmt.Sprint(bytesOfSpace / 1024), binary}, args...)...)
		cmd.Dir = dir
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	}
	for space := 200 * megabyte; space < 1_600*megabyte; space += 200 * megabyte {
		for _, args := range []string{"version", "run a.go", "kernel none.json", "doctor", "worker"} {
			got := limited(space, strings.Fields(args)...)
			begins := fmt.Sprintf("hierml: this process may use %d MB of address space (ulimit -v %d), and 1600 MB are needed; ", space/1024*1024/megabyte, space/1024)
			if got.status != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, begins) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%s with %d bytes: %+v", args, space, got)
			}
		}
	}
	for space := 1_620 * megabyte; space < 2_000*megabyte; space += 100 * megabyte {
		if got := limited(space, "version"); got.status != 0 || got.stderr != "" {
			t.Errorf("version with %d bytes: %+v", space, got)
		}
		want := fmt.Sprintf("hierml: this process may use %d MB of address space (ulimit -v %d), and cells need 2000 MB; raise or remove that limit, and limit cells by --memory instead\n", space/1024*1024/megabyte, space/1024)
		if got := limited(space, "run", "a.go"); got != (result{"", want, 1}) {
			t.Errorf("run with %d bytes: %+v", space, got)
		}
	}
	for _, space := range []int{2_050 * megabyte, 3_000 * megabyte, 4_000 * megabyte} {
		for range 5 {
			if got := limited(space, "run", "--engine", "interpreted", "a.go"); got != (result{"42\n", "", 0}) {
				t.Errorf("with %d bytes: %+v", space, got)
			}
		}
	}
}
