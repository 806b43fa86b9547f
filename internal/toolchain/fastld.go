package toolchain

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed fastld/fastld.c
var fastldSource []byte

// buildFastld compiles fastld into path, in front of the fastest linker there is.
func buildFastld(ctx context.Context, tc toolchain, path string) error {
	linker := ""
	for _, name := range []string{"ld.gold", "ld.bfd", "ld"} {
		if found, err := exec.LookPath(name); err == nil {
			if linker, err = filepath.Abs(found); err != nil {
				return err
			}
			break
		}
	}
	if linker == "" {
		return errors.New("no linker was found")
	}
	source := path + ".c"
	if err := os.WriteFile(source, fastldSource, 0o600); err != nil {
		return err
	}
	cc := strings.Fields(tc.CC)
	library, err := run(ctx, filepath.Dir(path), tc.env, cc[0], append(cc[1:len(cc):len(cc)], "-print-libgcc-file-name")...)
	if err != nil {
		return err
	}
	compiler, err := exec.LookPath(cc[0])
	if err != nil {
		return err
	}
	if compiler, err = filepath.Abs(compiler); err != nil {
		return err
	}
	args := append(cc[1:], "-O1", "-s", "-DLINKER="+strconv.Quote(linker), "-DCOMPILER="+strconv.Quote(compiler),
		"-DLIBRARY="+strconv.Quote(strings.TrimSpace(library)), "-o", path, source)
	if _, err := run(ctx, filepath.Dir(path), tc.env, cc[0], args...); err != nil {
		return err
	}
	return os.Remove(source)
}
