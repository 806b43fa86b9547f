// Package testprogram gives tests the program hierml and the kit that compiles cells for it, each
// built once: `go run ./install test` builds both before its first test and passes the program in
// the environment. A test that runs without that builds the program itself, and says so. Package
// toolchain builds the kit, and tests run the program.
package testprogram

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// Variable returns the name of the environment variable that names the program without the race
// detector, or with it.
func Variable(race bool) string {
	if race {
		return "HIERML_TEST_PROGRAM_RACE"
	}
	return "HIERML_TEST_PROGRAM"
}

// Program is hierml in one of its builds.
type Program struct {
	// File is the file of the program.
	File string
	// Kit opens the kit that compiles cells for the program, and builds it if necessary.
	Kit func() (*toolchain.Kit, error)
}

// Open returns the program without the race detector, or with it. It ends the test if the program
// cannot be built.
func Open(t testing.TB, race bool) *Program {
	t.Helper()
	p, err := Get(race)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Get is Open for callers that are not tests.
func Get(race bool) (*Program, error) {
	if race {
		return raced()
	}
	return plain()
}

var (
	plain = sync.OnceValues(func() (*Program, error) { return get(false) })
	raced = sync.OnceValues(func() (*Program, error) { return get(true) })
)

func get(race bool) (*Program, error) {
	file := os.Getenv(Variable(race))
	if file == "" {
		built, err := buildAside(race)
		if err != nil {
			return nil, err
		}
		file = built
	}
	return &Program{File: file, Kit: sync.OnceValues(func() (*toolchain.Kit, error) {
		return toolchain.Open(context.Background(), toolchain.Settings{Program: file})
	})}, nil
}

// built is the folder of the program that this process has built.
var built struct {
	sync.Mutex
	folder string
}

func buildAside(race bool) (string, error) {
	built.Lock()
	defer built.Unlock()
	if built.folder == "" {
		dir, err := temporary.Folder("", "program")
		if err != nil {
			return "", err
		}
		built.folder = dir
	}
	fmt.Fprintf(os.Stderr, "%s names no program: these tests build their own\n", Variable(race))
	name := "hierml"
	if race {
		name += "-race"
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	file := filepath.Join(built.folder, name)
	flags, err := toolchain.ProgramFlags(context.Background(), ".", "")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", arguments(race, file, flags)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, nil
}

// arguments are the arguments of the go command that build the program into file with these flags.
func arguments(race bool, file string, flags []string) []string {
	// Version control is off: a clone that belongs to another user would end the build, and each
	// commit would need another kit.
	args := append([]string{"build", "-buildvcs=false"}, flags...)
	if race {
		args = append(args, "-race")
	}
	return append(args, "-o", file, "github.com/hierml/notebook/kernel")
}

// Run runs the tests of a package that opens the program, and removes what they have built. It
// returns the exit status.
func Run(m *testing.M) int {
	code := m.Run()
	if err := Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// Remove removes the built program.
func Remove() error {
	built.Lock()
	defer built.Unlock()
	if built.folder == "" {
		return nil
	}
	return temporary.Remove(built.folder)
}
