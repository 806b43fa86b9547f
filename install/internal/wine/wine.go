// Package wine finds Wine, which runs programs for Windows in the tests, or installs it if the
// system's packages may be used. The tests run the programs.
package wine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hierml/notebook/install/internal/debian"
)

// ErrMissing says that Wine was not found, and what to install.
var ErrMissing = errors.New("no Wine is installed, or no linker for a library that it lacks; install both (on Debian: apt-get install wine wine64 binutils-mingw-w64-x86-64)")

// linker makes libraries for Windows.
const linker = "x86_64-w64-mingw32-ld"

// Find checks whether programs for Windows can run. The error is ErrMissing, with the missing
// program.
func Find() error {
	for _, program := range []string{"wine", "wineserver", linker} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w: %s", ErrMissing, program)
		}
	}
	return nil
}

// Install installs Wine from the system's packages. The error says why it did not.
func Install(ctx context.Context) error {
	err := debian.Install(ctx, "wine", "wine64", "binutils-mingw-w64-x86-64")
	if errors.Is(err, debian.ErrNotHere) {
		return ErrMissing
	}
	return err
}

// A System is a Windows of Wine's in a separate folder.
type System struct{ dir string }

// Make makes one in a folder.
func Make(ctx context.Context, dir string) (System, error) {
	s := System{dir}
	if err := s.command(ctx, "wine", "wineboot", "--init"); err != nil {
		return s, err
	}
	return s, s.complete(ctx)
}

// Environment are the variables by which programs of Wine find the system.
func (s System) Environment() map[string]string {
	return map[string]string{"WINEPREFIX": s.dir, "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
}

// Close ends all programs in the system.
func (s System) Close(ctx context.Context) error { return s.command(ctx, "wineserver", "--kill") }

// random is the library by which Go's run time asks for random numbers, in terms of one that older
// releases of Wine have.
const random = "LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng = advapi32.SystemFunction036\n"

// complete adds what Go needs and Wine before release 9 does not have.
func (s System) complete(ctx context.Context) error {
	library := filepath.Join(s.dir, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return nil
	}
	definition := filepath.Join(s.dir, "random.def")
	if err := os.WriteFile(definition, []byte(random), 0o644); err != nil {
		return err
	}
	return s.command(ctx, linker, "-shared", "-o", library, definition)
}

func (s System) command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = os.Environ()
	for name, value := range s.Environment() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	// Wine's background processes inherit the output, and a pipe would wait for them.
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
