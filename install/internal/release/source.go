package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hierml/notebook/internal/process"
)

// A Source is a commit, checked out aside with all modules that it needs.
type Source struct {
	// Dir is its folder, with the modules in the folder vendor.
	Dir string
	// Version is that of the commit.
	Version Version
	// Archive contains exactly the sources of the program, for the compiler of cells. Build the
	// program with the flags and variables of [Source.Flags] and [Source.Environment], so that it
	// is identical to a build from the archive.
	Archive []byte
}

// Checkout checks out the commit of the clone at root into dir, which must be empty. It ignores
// uncommitted changes.
func Checkout(ctx context.Context, root, dir string) (Source, error) {
	version, err := FindVersion(ctx, root)
	if err != nil {
		return Source{}, err
	}
	files, err := git(ctx, root, "archive", "--format=tar", version.Commit)
	if err != nil {
		return Source{}, err
	}
	if err := extract(bytes.NewReader(files), dir); err != nil {
		return Source{}, err
	}
	s := Source{Dir: dir, Version: version}
	if _, err := s.run(ctx, nil, "mod", "vendor"); err != nil {
		return Source{}, err
	}
	names, err := s.needed(ctx)
	if err != nil {
		return Source{}, err
	}
	s.Archive, err = pack(dir, names, version.Time)
	return s, err
}

// Flags returns the flags of the go command that build the program.
func (s Source) Flags() []string {
	return []string{"-mod=vendor", "-trimpath", "-ldflags", "-s -w -X 'main.released=" + s.Version.String() + "'"}
}

// Environment returns the variables that affect the build for a system. They override the
// environment.
func (s Source) Environment(system System) []string {
	env := append(fixed(), "GOOS="+system.OS, "GOARCH="+system.Arch)
	if system.CC == "" {
		return append(env, "CGO_ENABLED=0")
	}
	return append(env, "CGO_ENABLED=1", "CC="+system.CC)
}

// fixed are the variables that affect a build, with their default values.
func fixed() []string {
	return []string{
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=", "GOARM64=", "GOFIPS140=off",
		"CGO_CFLAGS=", "CGO_CPPFLAGS=", "CGO_CXXFLAGS=", "CGO_FFLAGS=", "CGO_LDFLAGS=",
	}
}

// run runs the go command in the folder.
func (s Source) run(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := process.Bind(exec.CommandContext(ctx, "go", args...))
	cmd.Dir = s.Dir
	cmd.Env = slices.Concat(os.Environ(), fixed(), env)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := process.Run(cmd); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes(), nil
}

// archs are those of Linux on which cells are compiled.
var archs = []string{"amd64", "arm64"}

// needed returns the files that the program is built from on the systems on which cells are
// compiled, in order.
func (s Source) needed(ctx context.Context) ([]string, error) {
	names := []string{"go.mod", "go.sum", "LICENSE", "NOTICE.md", "vendor/modules.txt"}
	for _, arch := range archs {
		out, err := s.run(ctx, []string{"GOOS=linux", "GOARCH=" + arch, "CGO_ENABLED=1"},
			"list", "-deps", "-json=Dir,Standard,GoFiles,CgoFiles,CFiles,HFiles,SFiles,SysoFiles,EmbedFiles", "./kernel")
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Dir                                                              string
				Standard                                                         bool
				GoFiles, CgoFiles, CFiles, HFiles, SFiles, SysoFiles, EmbedFiles []string
			}
			if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if p.Standard {
				continue
			}
			below, err := filepath.Rel(s.Dir, p.Dir)
			if err != nil {
				return nil, err
			}
			for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.HFiles, p.SFiles, p.SysoFiles, p.EmbedFiles) {
				names = append(names, filepath.ToSlash(filepath.Join(below, file)))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// pack packs files of a folder into a compressed tar archive.
func pack(dir string, names []string, at time.Time) ([]byte, error) {
	var files []File
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: name, Mode: 0o644, Content: content})
	}
	var b bytes.Buffer
	err := writeTar(&b, files, at)
	return b.Bytes(), err
}

// writeTar writes files, and folders where names end with a slash, as a compressed tar archive.
func writeTar(w io.Writer, files []File, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(z)
	for _, f := range files {
		header := &tar.Header{Format: tar.FormatPAX, Typeflag: tar.TypeReg, Name: f.Name, Mode: int64(f.Mode), Size: int64(len(f.Content)), ModTime: at}
		if strings.HasSuffix(f.Name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.Content); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), z.Close())
}

// extract writes the files of a tar archive of git into a folder.
func extract(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for archive := tar.NewReader(r); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(name), 0o755)
		case tar.TypeReg:
			var out *os.File
			if out, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, header.FileInfo().Mode().Perm()); err == nil {
				_, err = io.Copy(out, archive)
				err = errors.Join(err, out.Close())
			}
		case tar.TypeXGlobalHeader: // the commit
		default:
			err = fmt.Errorf("%s is neither a file nor a folder", header.Name)
		}
		if err != nil {
			return err
		}
	}
}
