package toolchain

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hierml/notebook/internal/beside"
)

const module = "github.com/hierml/notebook"

// A source is where the module is that a program was built from.
type source struct {
	// root is its folder, into which the archive must be unpacked if there is one.
	root, archive string
	// settings are additional environment variables for the go command, for all its work, and
	// vendored those that it needs in the module.
	settings, vendored []string
	// mend says how to make the program and its sources agree.
	mend string
}

// moduleFolder is the folder of a kit that has the unpacked module.
const moduleFolder = "module"

// findSource finds the module that p was built from: in s.Root, or if that is empty where this
// package was compiled, or, where p was built so that it does not know that, in the archive that
// came with it.
func (p program) findSource(s Settings) (source, error) {
	if s.Root == "" && p.setting("-trimpath") == "true" {
		archive, err := beside.File(s.Program, beside.Source)
		switch {
		case err == nil:
			return source{archive: archive, settings: p.ownGo(), vendored: []string{"GOFLAGS=-mod=vendor", "GOWORK=off"}, mend: "install hierml again"}, nil
		case errors.Is(err, fs.ErrNotExist):
			return source{}, errors.New("this program was built with -trimpath and does not know where its sources are; take the flag out of GOFLAGS and run `go run ./install` again")
		}
		return source{}, fmt.Errorf("the sources that came with this program cannot be read: %w", err)
	}
	if s.Root == "" {
		_, file, _, _ := runtime.Caller(0) // ROOT/internal/toolchain/source.go
		s.Root = filepath.Dir(filepath.Dir(filepath.Dir(file)))
	}
	content, err := os.ReadFile(filepath.Join(s.Root, "go.mod"))
	if err != nil || modfile.ModulePath(content) != module {
		return source{}, fmt.Errorf("the sources that this program was built from are not in %s; clone %s and run `go run ./install` in the clone", s.Root, module)
	}
	return source{root: s.Root, settings: p.ownGo(), mend: "run `go run ./install` again in " + s.Root}, nil
}

// ownGo returns the setting by which the go command takes the version that the program was built
// by, and fetches it if it is another one.
func (p program) ownGo() []string {
	if version := p.goVersion(); strings.HasPrefix(version, "go1") {
		return []string{"GOTOOLCHAIN=" + version}
	}
	return nil
}

// unpack unpacks an archive into a folder, which it makes.
func unpack(archive, dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("the sources of this program cannot be unpacked: %s: %w", archive, err)
		}
	}()
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	// Nothing in the archive leads out of the folder.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			_, err := io.Copy(io.Discard, z) // to where the sum is
			return err
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is not a file", header.Name)
		}
		name := filepath.FromSlash(header.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, files)
		if err := errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
}
