//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/place"
	"github.com/hierml/notebook/internal/testfault"
)

// TestUmask holds that nobody else can write to what an installation makes, by itself or by
// programs that it starts, with whatever umask: not to a program that is there already, either.
func TestUmask(t *testing.T) {
	for _, mask := range []int{0, 0o002, 0o020, 0o077} {
		testfault.Umask(t, mask)
		restrict()
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		places, err := place.Prefix(filepath.Join(dir, "prefix"))
		if err != nil {
			t.Fatal(err)
		}
		r, held, err := begin(places)
		if err != nil {
			t.Fatal(err)
		}
		kernel := kernelspec.Dir(places.Jupyter, "hierml")
		program := filepath.Join(places.Bin, programName())
		err = errors.Join(r.makeFolder(kernel), r.makeFolder(places.Bin), r.makeFolder(places.Man), r.writeFile(filepath.Join(places.Man, manualPage), nil),
			kernelspec.Spec{Name: "hierml", DisplayName: "Go", Program: program}.Write(kernel), os.WriteFile(program, nil, 0o600), os.Chmod(program, 0o777), protect(program), held.Release())
		if err != nil {
			t.Fatal(err)
		}
		child := exec.Command("sh", "-c", "mkdir python && : > python/pyvenv.cfg")
		child.Dir = places.Data
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			forbidden := fs.FileMode(0o022 | mask)
			if path == program { // which was there
				forbidden = 0o022
			}
			if err == nil && info.Mode()&forbidden != 0 && path != dir {
				t.Errorf("umask %03o: %s has the mode %v", mask, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
