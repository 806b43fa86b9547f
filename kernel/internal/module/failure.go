package module

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/module"
)

// checkPath rejects import paths that no module can have.
func checkPath(path string) error {
	if err := module.CheckImportPath(path); err != nil {
		var invalid *module.InvalidPathError
		if errors.As(err, &invalid) {
			return fmt.Errorf("invalid import path %q: %v", path, invalid.Err)
		}
		return err
	}
	return nil
}

var (
	newerGo   = regexp.MustCompile(`(\S+) requires go >= (\S+) \(running go ([^;\s)]+)`)
	notStd    = regexp.MustCompile(`^package (\S+) is not in std`)
	noPackage = regexp.MustCompile(`^module (\S+?)@\S+ found \((\S+?)(?:, replaced by [^)]*)?\), but does not contain package (\S+)`)
)

// networkDown are the ends of Go's messages when there is no network.
var networkDown = []string{"no such host", "connection refused", "network is unreachable", "no route to host",
	"i/o timeout", "TLS handshake timeout", "server misbehaving", "connection reset by peer", "Temporary failure in name resolution"}

// worded turns the go command's text about an import path into a message for the user: one line,
// unless it comes from the compiler.
func worded(path, text string) error {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "# ") {
		return compiled(text)
	}
	line := strings.Join(strings.Fields(text), " ")
	switch {
	case strings.Contains(line, "module lookup disabled by GOPROXY=off"):
		return fmt.Errorf("cannot download %s: GOPROXY is off", path)
	case offline(line):
		return fmt.Errorf("cannot download %s: no network (%s)", path, line[strings.LastIndex(line, "dial tcp")+len("dial tcp"):][1:])
	case strings.Contains(line, `exec: "gcc"`), strings.Contains(line, `exec: "cc"`), strings.Contains(line, "C compiler") && strings.Contains(line, "not found"):
		return fmt.Errorf("package %s needs cgo, and there is no C compiler", path)
	case strings.Contains(line, "build constraints exclude all Go files"):
		return fmt.Errorf("%s (the package may need cgo or another system)", line)
	}
	if m := newerGo.FindStringSubmatch(line); m != nil {
		return fmt.Errorf("%s needs go %s, but this program was built with go %s", strings.Replace(m[1], "@", " ", 1), m[2], m[3])
	}
	if m := notStd.FindStringSubmatch(line); m != nil {
		return fmt.Errorf("package %s is neither in the standard library nor in the module beside the notebook", m[1])
	}
	if m := noPackage.FindStringSubmatch(line); m != nil {
		return &packageError{m[1], m[2], m[3]}
	}
	for _, sign := range []string{"terminal prompts disabled", "could not read Username", "Permission denied", "403 Forbidden", "401 Unauthorized"} {
		if strings.Contains(line, sign) {
			return fmt.Errorf("%s was not found, or is private", path)
		}
	}
	for _, sign := range []string{"404 Not Found", "410 Gone", "no such file or directory", "not found", "unrecognized import path"} {
		if strings.Contains(line, sign) {
			return fmt.Errorf("%s was not found: no module of that name can be downloaded", path)
		}
	}
	return errors.New(line)
}

// A packageError says that a module has no such package.
type packageError struct{ module, version, path string }

func (e *packageError) Error() string {
	return fmt.Sprintf("module %s (%s) has no package %s", e.module, e.version, e.path)
}

// fewPackages bounds how many packages of a module are named.
const fewPackages = 6

// withSuggestion adds to the error of an import path the packages that the module has instead.
func (s *Session) withSuggestion(ctx context.Context, m *sessionModule, path string, err error) error {
	var missing *packageError
	if !errors.As(err, &missing) || m.file.AddRequire(missing.module, missing.version) != nil || m.write("package session\n") != nil {
		return err
	}
	out, failed := s.command(ctx, m.dir, nil, "list", "-mod=mod", "-e", "-f", `{{if ne .Name "main"}}{{.ImportPath}}{{end}}`, missing.module+"/...")
	if failed != nil {
		return err // return the error without a suggestion
	}
	var packages []string
	for _, p := range strings.Fields(string(out)) {
		if _, internal := internalTo(p); !internal {
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 {
		return err
	}
	more := ""
	if len(packages) > fewPackages {
		packages, more = packages[:fewPackages], ", ..."
	}
	return fmt.Errorf("%w; it has %s%s", err, strings.Join(packages, ", "), more)
}

// offline reports whether a text is about a missing network.
func offline(text string) bool {
	if !strings.Contains(text, "dial tcp") {
		return false
	}
	for _, end := range networkDown {
		if strings.Contains(text, end) {
			return true
		}
	}
	return false
}

// compiled returns the error of a package that does not compile, in the compiler's words.
func compiled(text string) error {
	head, rest, _ := strings.Cut(text, "\n")
	path := strings.TrimPrefix(head, "# ")
	if strings.Contains(rest, "C compiler") || strings.Contains(rest, `exec: "gcc"`) {
		return fmt.Errorf("package %s needs cgo, and there is no C compiler", path)
	}
	var lines []string
	for line := range strings.Lines(rest) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return &compileError{path, lines}
}

// A compileError says that a package does not compile, in the words of the compiler.
type compileError struct {
	path  string
	lines []string
}

func (e *compileError) Error() string {
	return fmt.Sprintf("package %s does not compile: %s", e.path, strings.Join(e.lines, "\n"))
}

// seenFrom rewrites file names relative to a folder instead of the one in which the compiler ran.
func (e *compileError) seenFrom(folder, ran string) {
	for i, line := range e.lines {
		name, rest, ok := strings.Cut(line, ":")
		if !ok || !strings.HasSuffix(name, ".go") {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(ran, name)
		}
		if near, err := filepath.Rel(folder, name); err == nil && !strings.HasPrefix(near, "..") {
			name = near
		}
		e.lines[i] = name + ":" + rest
	}
}

// isProgram reports whether cells can use the program's copy of a package.
func (s *Session) isProgram(l *listing, p *listed) (bool, error) {
	file := s.program.Packages[p.ImportPath]
	if file == "" || len(l.renamed(p)) > 0 {
		return false, nil
	}
	if file == p.Export {
		return true, nil
	}
	return sameArchive(file, p)
}

// mayDiffer returns an error if a package of the program cannot be loaded in another version beside
// it, because cells that use one would meet the other.
func (s *Session) mayDiffer(ctx context.Context, l *listing, path string, p *listed) error {
	if s.program.Packages[p.ImportPath] == "" {
		return nil
	}
	if p.Standard || p.Module == nil || p.Module.Path == s.program.Path {
		return fmt.Errorf("%s needs %s, which has changed since this program was built. Build the program again (go run ./install)", path, p.ImportPath)
	}
	if !p.foreign() && !s.offers(p.ImportPath) {
		l.beside[p.Module.Path] = p.Module.shown()
		return nil
	}
	has, err := s.programVersion(ctx, p.Module.Path)
	if err != nil {
		return err
	}
	m := l.packages[path].Module
	needs := fmt.Sprintf("needs %s %s, but this program has %s", p.Module.Path, p.Module.shown(), has)
	if m.Replace != nil {
		return fmt.Errorf("%s %s", m.Path, needs)
	}
	return fmt.Errorf("%s %s %s; an older version may work (%%mod %s@VERSION)", m.Path, m.Version, needs, m.Path)
}

// offers reports whether all cells can import a package.
func (s *Session) offers(path string) bool {
	_, err := s.program.Importer.Import(path)
	return err == nil
}

// shown is the version of a module, or the folder that replaces it.
func (m *listedModule) shown() string {
	switch {
	case m.Replace == nil:
		return m.Version
	case m.Replace.Version == "":
		return "in " + m.Replace.Path
	}
	return m.Replace.Path + " " + m.Replace.Version
}

// isPart reports whether all cells can import packages of a module.
func (s *Session) isPart(module string) bool {
	for path := range s.program.Packages {
		if (path == module || strings.HasPrefix(path, module+"/")) && s.offers(path) {
			return true
		}
	}
	return false
}

// programVersion returns the version of a module in the program.
func (s *Session) programVersion(ctx context.Context, path string) (string, error) {
	out, err := s.command(ctx, s.program.Folder, nil, "list", "-m", "-f", "{{.Version}}", path)
	return strings.TrimSpace(string(out)), err
}
