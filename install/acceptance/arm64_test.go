package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hierml/notebook/install/internal/debian"
	"github.com/hierml/notebook/internal/testrun"
)

// needDebian installs a package of Debian if there is no program of it.
func needDebian(t *testing.T, program, name string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		testrun.Need(t, program, debian.Install(t.Context(), name))
	}
}

// TestArm64 holds that the library computes on arm64 what an independent solver has computed, and
// that cells behave there as notebooks' cells should: it runs programs for Linux on arm64 in an
// emulator of its processor. That processor adds products without rounding between, so that numbers
// differ in their last digits.
func TestArm64(t *testing.T) {
	testrun.LeaveToLong(t, "programs are run by an emulated processor")
	const emulator = "qemu-aarch64"
	needDebian(t, emulator, "qemu-user")
	for _, tt := range []struct{ name, tests, packages string }{
		{"golden", "Golden", "./hierml/..."},
		{"interpreted", "^TestBehaviours$", "./kernel/internal/engine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.Command("go", "test", "-timeout", "0", "-exec", emulator, "-run", tt.tests, tt.packages)
			cmd.Dir = root()
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", testrun.LongVariable+"=")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	t.Run("compiled", func(t *testing.T) {
		const compiler = "aarch64-linux-gnu-gcc"
		needDebian(t, compiler, "gcc-aarch64-linux-gnu")
		emulate(t, emulator)
		dir := t.TempDir()
		program, source := filepath.Join(dir, "hierml"), filepath.Join(dir, "cells.go")
		// What the go command is told holds for the program too, which calls it for cells.
		environment := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=1", "CC="+compiler,
			"QEMU_LD_PREFIX=/usr/aarch64-linux-gnu", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		run := func(name string, args ...string) string {
			cmd := exec.Command(name, args...)
			cmd.Dir, cmd.Env = root(), environment
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
			return string(out)
		}
		run("go", "build", "-o", program, "./kernel")
		const cells = "n := 0\nfor i := range 10 {\n\tn += i\n}\nfmt.Println(runtime.GOARCH, n)\nfmt.Println(mat.Sum(mat.NewDense(1, 2, []float64{1, 2})))"
		if err := os.WriteFile(source, []byte(cells), 0o644); err != nil {
			t.Fatal(err)
		}
		if said := run(program, "run", "--engine", "compiled", source); !strings.HasSuffix(said, "arm64 45\n3\n") {
			t.Errorf("it prints\n%s", said)
		}
	})
}

// emulate has the system run programs for Linux on arm64 by an emulator, until the test ends. The
// program starts others of its kind: to run it by the emulator does not do.
func emulate(t *testing.T, emulator string) {
	t.Helper()
	const folder, entry = "/proc/sys/fs/binfmt_misc", "hierml-test"
	path, err := exec.LookPath(emulator)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "register")); err != nil {
		out, err := exec.Command("mount", "-t", "binfmt_misc", "binfmt_misc", folder).CombinedOutput()
		if err != nil {
			t.Logf("%s", out)
		}
		testrun.Need(t, "binfmt_misc", err)
	}
	// An ELF file of 64 bits, little endian, that can be run, for the machine 183.
	const magic = `:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00` +
		`:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:`
	testrun.Need(t, "binfmt_misc", os.WriteFile(filepath.Join(folder, "register"), []byte(":"+entry+magic+path+":F"), 0))
	t.Cleanup(func() {
		if err := os.WriteFile(filepath.Join(folder, entry), []byte("-1"), 0); err != nil {
			t.Error(err)
		}
	})
}
