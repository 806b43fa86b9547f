package python

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hierml/notebook/internal/process"
)

//go:generate uv pip compile --quiet --universal --generate-hashes --no-header --no-deps --python-version 3.10 requirements-lite.in -o requirements-lite.txt

//go:embed requirements-lite.txt
var liteLock []byte

// Lite returns the lock of what sites for the browser are made of: the wheels of jupyterlite-core
// and jupyterlab-widgets, whose Python is not used.
func Lite() Lock { return Lock{liteLock} }

// Wheel returns the path of a package's wheel in a folder, whose hash must be in the lock. The
// error wraps fs.ErrNotExist if there is none.
func (l Lock) Wheel(folder, name string) (string, error) {
	pattern := filepath.Join(folder, strings.ReplaceAll(name, "-", "_")+"-*.whl")
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	for _, path := range found {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(content)
		if bytes.Contains(l.content, []byte("--hash=sha256:"+hex.EncodeToString(sum[:]))) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: no wheel of the lock file: %w", pattern, os.ErrNotExist)
}

// Download puts the lock's wheels into a folder, by the interpreter's pip, or that of an
// environment where it has none, as on Debian. Only files whose hash is in the lock come.
func (i Interpreter) Download(ctx context.Context, l Lock, folder string) error {
	return apart(func(dir string) error {
		lock := filepath.Join(dir, "requirements.txt")
		if err := os.WriteFile(lock, l.content, 0o644); err != nil {
			return err
		}
		pip := i
		if process.Run(i.command(ctx, dir, "-m", "pip", "--version")) != nil {
			made := Environment{Dir: filepath.Join(dir, "pip")}
			if err := made.create(ctx, i, dir); err != nil {
				return fmt.Errorf("%s has no pip, and cannot make an environment with pip: %w", i.Path, err)
			}
			pip = Interpreter{Path: made.Python()}
		}
		cmd := pip.command(ctx, dir, "-m", "pip", "download", "--require-hashes", "--no-deps", "--only-binary", ":all:",
			"--no-input", "--disable-pip-version-check", "--progress-bar", "off", "-d", folder, "-r", lock)
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := process.Run(cmd); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("pip could not fetch the packages of the lock file: %w\n%s\ncheck the network and pip's index, or name a folder that has the wheels: --wheels",
				err, tail(out.String(), 15))
		}
		return nil
	})
}
