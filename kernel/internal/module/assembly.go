package module

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// An assembly assembles the non-Go files of a package, like the go command.
type assembly struct {
	session   *Session
	p         *listed
	dir       string // where its files are written
	arguments []string
}

// newAssembly tells the compiler which symbols the assembly of a package defines, through
// additional arguments. It returns nil if the package is all Go.
func (s *Session) newAssembly(ctx context.Context, p *listed, dir string, compiler *[]string) (*assembly, error) {
	if len(p.SFiles) == 0 {
		*compiler = append(*compiler, "-complete")
		return nil, nil
	}
	out, err := s.command(ctx, s.dir, nil, "env", "GOROOT", "GOAMD64")
	if err != nil {
		return nil, err
	}
	root, level, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	a := &assembly{session: s, p: p, dir: dir}
	a.arguments = []string{"tool", "asm", "-p", p.path, "-I", dir, "-I", p.Dir, "-I", filepath.Join(root, "pkg", "include"),
		"-D", "GOOS_" + runtime.GOOS, "-D", "GOARCH_" + runtime.GOARCH, "-dynlink"}
	if runtime.GOARCH == "amd64" {
		a.arguments = append(a.arguments, "-D", "GOAMD64_"+strings.TrimSpace(level))
	}
	// The compiler later writes this file, which assembly includes.
	header := filepath.Join(dir, "go_asm.h")
	if err := os.WriteFile(header, nil, 0o600); err != nil {
		return nil, err
	}
	defined := filepath.Join(dir, "symabis")
	arguments := append([]string{}, a.arguments...)
	arguments = append(arguments, "-gensymabis", "-o", defined)
	for _, f := range p.SFiles {
		arguments = append(arguments, filepath.Join(p.Dir, f))
	}
	if _, err := s.command(ctx, s.dir, nil, arguments...); err != nil {
		return nil, err
	}
	*compiler = append(*compiler, "-symabis", defined, "-asmhdr", header)
	return a, nil
}

// pack assembles the files and adds them to the compiler's archive.
func (a *assembly) pack(ctx context.Context, archive string) (err error) {
	f, err := os.OpenFile(archive, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for i, name := range a.p.SFiles {
		object := fmt.Sprintf("asm%d.o", i)
		file := filepath.Join(a.dir, object)
		if _, err := a.session.command(ctx, a.session.dir, nil, append(a.arguments[:len(a.arguments):len(a.arguments)], "-o", file, filepath.Join(a.p.Dir, name))...); err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", object, 0, 0, 0, 0o644, len(data))
		b.Write(data)
		if len(data)%2 != 0 {
			b.WriteByte(0)
		}
		if _, err := f.Write(b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
