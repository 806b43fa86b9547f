package module

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hierml/notebook/internal/process"
)

// A listed package is an entry of go list.
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	Export     string
	BuildID    string
	Standard   bool
	Imports    []string
	ImportMap  map[string]string
	Module     *listedModule

	GoFiles, CgoFiles, SFiles, CFiles, CXXFiles, SysoFiles []string
	EmbedPatterns, EmbedFiles                              []string

	Error *listedError

	// path is the path for importing the package in compiled cells; empty until it is known.
	path string
	id   string
}

type listedModule struct {
	Path, Version, GoVersion, Dir string
	Replace                       *listedModule
}

type listedError struct{ Pos, Err string }

// listedFields are the fields of listed, as an argument of go list.
const listedFields = "ImportPath,Name,Dir,Export,BuildID,Standard,Imports,ImportMap,Module," +
	"GoFiles,CgoFiles,SFiles,CFiles,CXXFiles,SysoFiles,EmbedPatterns,EmbedFiles,Error"

// local reports whether the source of the package can change.
func (p *listed) local() bool {
	if p.Standard || p.Module == nil {
		return false
	}
	m := p.Module
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Version == ""
}

// foreign reports whether the package contains more than Go and assembly.
func (p *listed) foreign() bool {
	return len(p.CgoFiles)+len(p.CFiles)+len(p.CXXFiles)+len(p.SysoFiles) > 0
}

// A listing is the output of go list for some packages and their dependencies.
type listing struct {
	packages map[string]*listed
	own      *listed // the package that imports them
	paths    []string
	// chosen are the modules that nothing required, with the versions that the go command has
	// chosen.
	chosen map[string]string
	// beside are modules, with their versions, that the program has in another version.
	beside map[string]string
}

// importer is the file of the session's module that imports the requested packages, one per line
// from the second on.
const importer = "imports.go"

// list compiles packages and lists them with all that they import.
func (s *Session) list(ctx context.Context, m *sessionModule, paths []string, progress func(line string)) (*listing, error) {
	var b strings.Builder
	b.WriteString("package session\n")
	arguments := append([]string{"list", "-mod=mod", "-e", "-export", "-deps", "-json=" + listedFields}, s.program.Flags...)
	if tags := s.tags(); tags != "" {
		arguments = append(arguments, tags)
	}
	arguments = append(arguments, ".")
	for _, path := range paths {
		if m.mayImport(path) {
			// It is internal to the module of the folder, and so not to the session.
			arguments = append(arguments, path)
			b.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&b, "import _ %q\n", path)
	}
	if err := m.write(b.String()); err != nil {
		return nil, err
	}
	l := &listing{packages: map[string]*listed{}, paths: paths, chosen: map[string]string{}, beside: map[string]string{}}
	out, err := s.command(ctx, m.dir, func(line string) {
		if found := foundIn.FindStringSubmatch(line); found != nil {
			l.chosen[found[1]] = found[2]
		} else if progress != nil {
			progress(line)
		}
	}, arguments...)
	if err != nil {
		return nil, about(strings.Join(paths, ", "), err)
	}
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return l, nil
		} else if err != nil {
			return nil, fmt.Errorf("the output of go list: %w", err)
		}
		if p.ImportPath == modulePath {
			l.own = p
		} else {
			l.packages[p.ImportPath] = p
		}
	}
}

// foundIn matches the go command's message that it has chosen a version of a module.
var foundIn = regexp.MustCompile(`^found \S+ in (\S+) (v\S+)$`)

// closure returns a package and its dependencies, imported ones first, and the first error among
// them.
func (l *listing) closure(path string) ([]*listed, error) {
	if l.own != nil && l.own.Error != nil {
		if at, ok := l.blamed(l.own.Error.Pos); !ok || at == path {
			return nil, worded(path, l.own.Error.Err)
		}
	}
	var all []*listed
	seen := map[string]bool{}
	var visit func(path string) error
	visit = func(p string) error {
		if seen[p] || p == "C" || p == "unsafe" {
			return nil
		}
		seen[p] = true
		pkg := l.packages[p]
		if pkg == nil {
			return fmt.Errorf("the go command does not list package %s, which %s needs", p, path)
		}
		if pkg.Error != nil {
			return worded(path, pkg.Error.Err)
		}
		for _, i := range pkg.Imports {
			if err := visit(i); err != nil {
				return err
			}
		}
		if pkg.Export == "" {
			return fmt.Errorf("package %s could not be compiled", p)
		}
		all = append(all, pkg)
		return nil
	}
	if err := visit(path); err != nil {
		return nil, err
	}
	return all, nil
}

// blamed returns the import path on a line of the importing file.
func (l *listing) blamed(place string) (string, bool) {
	parts := strings.Split(place, ":")
	if len(parts) < 2 || filepath.Base(parts[0]) != importer {
		return "", false
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil || line < 2 || line-2 >= len(l.paths) {
		return "", false
	}
	return l.paths[line-2], true
}

// command runs the go command in a folder, and passes its messages about downloads and versions to
// progress.
func (s *Session) command(ctx context.Context, dir string, progress func(line string), arguments ...string) ([]byte, error) {
	name := s.program.Go
	if name == "" {
		name = "go"
	}
	cmd := process.Bind(exec.CommandContext(ctx, name, arguments...))
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), s.program.Env...), "PWD="+dir)
	if dir == s.dir {
		// The tool chain must be that of the program, and the module this one.
		cmd.Env = append(cmd.Env, "GOWORK=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "GOFLAGS="+kept(cmd.Environ()),
			"TMPDIR="+filepath.Join(dir, temporaryFolder))
	}
	cmd.Cancel = func() error { return process.Signal(cmd, syscall.SIGINT) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	said := &sayings{progress: progress}
	cmd.Stderr = said
	err := process.Run(cmd)
	said.end()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit):
		return nil, said.err()
	case err != nil:
		return nil, fmt.Errorf("run the go command: %w", err)
	}
	return out.Bytes(), nil
}

// kept returns the flag of an environment that says how modules are stored. The others come from
// the program, or would interfere.
func kept(environment []string) string {
	for _, entry := range slices.Backward(environment) {
		if flags, ok := strings.CutPrefix(entry, "GOFLAGS="); ok {
			if slices.Contains(strings.Fields(flags), "-modcacherw") {
				return "-modcacherw"
			}
			return ""
		}
	}
	return ""
}

// sayings parses the messages of the go command.
type sayings struct {
	progress func(line string)
	rest     []byte
	lines    []string
}

func (s *sayings) Write(data []byte) (int, error) {
	s.rest = append(s.rest, data...)
	for {
		end := bytes.IndexByte(s.rest, '\n')
		if end < 0 {
			return len(data), nil
		}
		s.line(string(s.rest[:end]))
		s.rest = s.rest[end+1:]
	}
}

func (s *sayings) end() {
	scanner := bufio.NewScanner(bytes.NewReader(s.rest))
	for scanner.Scan() {
		s.line(scanner.Text())
	}
}

func (s *sayings) line(line string) {
	text := strings.TrimPrefix(strings.TrimSpace(line), "go: ")
	switch {
	case strings.HasPrefix(text, "downloading "), foundIn.MatchString(text):
		if s.progress != nil {
			s.progress(text)
		}
	case strings.HasPrefix(text, "finding module for "), strings.HasPrefix(text, "toolchain upgrade needed "), text == "":
	default:
		s.lines = append(s.lines, text)
	}
}

// A commandError is the go command's error message.
type commandError struct{ text string }

func (e *commandError) Error() string { return e.text }

// err returns the error of a failed command.
func (s *sayings) err() error {
	if len(s.lines) == 0 {
		return errors.New("the go command failed without a message")
	}
	return &commandError{strings.Join(s.lines, "\n")}
}

// about words the error of a command about a package or a module.
func about(subject string, err error) error {
	var failed *commandError
	if errors.As(err, &failed) {
		return worded(subject, failed.text)
	}
	return err
}
