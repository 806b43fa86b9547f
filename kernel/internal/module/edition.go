package module

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// edition determines the path with which cells are compiled for a package whose imports all have
// one, and returns the package's archive. The first form of a package in the session has the
// package's own path, and each other one a new path.
func (s *Session) edition(ctx context.Context, l *listing, p *listed) (file string, err error) {
	p.id = s.identity(l, p)
	s.mu.Lock()
	ids := s.editions[p.ImportPath]
	if ids == nil && s.program.Packages[p.ImportPath] != "" {
		ids = []string{""} // the first is the program's
	}
	at := slices.Index(ids, p.id)
	if at < 0 {
		at = len(ids)
	}
	p.path = p.ImportPath
	if at > 0 {
		p.path = fmt.Sprintf("%s~%d", p.ImportPath, at+1)
	}
	file = s.archives[p.path]
	s.mu.Unlock()
	if file != "" {
		return file, nil
	}
	file = p.Export
	if at > 0 || l.renamed(p) != nil {
		if file, err = s.compile(ctx, l, p); err != nil {
			return "", err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == len(ids) {
		s.editions[p.ImportPath] = append(ids, p.id)
	}
	s.archives[p.path] = file
	return file, nil
}

// identity identifies the compiled form of a package and of everything that it imports, except for
// packages of the program. It is not empty.
func (s *Session) identity(l *listing, p *listed) string {
	h := sha256.New()
	fmt.Fprintln(h, content(p.BuildID))
	for _, i := range p.Imports {
		if dep := l.packages[i]; dep != nil && dep.id != "" {
			fmt.Fprintln(h, i, dep.id)
		}
	}
	return string(h.Sum(nil))
}

// content is the part of a build ID for the content of the archive.
func content(id string) string { return id[strings.LastIndex(id, "/")+1:] }

// renamed returns the imports of a package whose path for cells differs from the import path.
func (l *listing) renamed(p *listed) (list []*listed) {
	for _, i := range p.Imports {
		if dep := l.packages[i]; dep != nil && dep.path != "" && dep.path != dep.ImportPath {
			list = append(list, dep)
		}
	}
	return list
}

// compile compiles a package again, under its path for cells.
func (s *Session) compile(ctx context.Context, l *listing, p *listed) (archive string, err error) {
	if p.foreign() {
		return "", fmt.Errorf("package %s has changed since cells imported it, and contains C code. Load it again after %%reset", p.ImportPath)
	}
	work, err := os.MkdirTemp(s.dir, "edition-")
	if err != nil {
		return "", err
	}
	var config strings.Builder
	for _, dep := range l.packages {
		if dep.Export == "" || dep == p {
			continue
		}
		file, path := dep.Export, dep.ImportPath
		if dep.path != "" && dep.path != path {
			path = dep.path
			s.mu.Lock()
			file = s.archives[path]
			s.mu.Unlock()
			if file == "" {
				continue // others need it
			}
			fmt.Fprintf(&config, "importmap %s=%s\n", dep.ImportPath, path)
		}
		fmt.Fprintf(&config, "packagefile %s=%s\n", path, file)
	}
	imports := filepath.Join(work, "imports")
	archive = filepath.Join(work, "package.a")
	if err := os.WriteFile(imports, []byte(config.String()), 0o600); err != nil {
		return "", err
	}
	arguments := []string{"tool", "compile", "-o", archive, "-p", p.path, "-dynlink", "-pack", "-importcfg", imports}
	assembly, err := s.newAssembly(ctx, p, work, &arguments)
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(s.program.Flags, func(flag string) bool { return flag == "-race" || flag == "-race=true" }) {
		arguments = append(arguments, "-race")
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		arguments = append(arguments, "-lang=go"+language(p.Module.GoVersion))
	}
	if len(p.EmbedPatterns) > 0 {
		name := filepath.Join(work, "embed")
		if err := p.writeEmbed(name); err != nil {
			return "", err
		}
		arguments = append(arguments, "-embedcfg", name)
	}
	for _, f := range p.GoFiles {
		arguments = append(arguments, filepath.Join(p.Dir, f))
	}
	if _, err := s.command(ctx, s.dir, nil, arguments...); err != nil {
		return "", fmt.Errorf("package %s does not compile with the packages that it imports now: %w", p.ImportPath, err)
	}
	if assembly != nil {
		if err := assembly.pack(ctx, archive); err != nil {
			return "", err
		}
	}
	return archive, nil
}

// language removes the part of a Go version that does not affect the language.
func language(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	digits := 0
	for digits < len(parts[1]) && parts[1][digits] >= '0' && parts[1][digits] <= '9' {
		digits++
	}
	return parts[0] + "." + parts[1][:digits]
}

// writeEmbed writes the compiler's configuration for the files that a package embeds.
func (p *listed) writeEmbed(name string) error {
	config := struct {
		Patterns map[string][]string
		Files    map[string]string
	}{map[string][]string{}, map[string]string{}}
	for _, f := range p.EmbedFiles {
		config.Files[f] = filepath.Join(p.Dir, filepath.FromSlash(f))
	}
	for _, pattern := range p.EmbedPatterns {
		config.Patterns[pattern] = []string{}
		for _, f := range p.EmbedFiles {
			if embeds(strings.TrimPrefix(pattern, "all:"), f) {
				config.Patterns[pattern] = append(config.Patterns[pattern], f)
			}
		}
	}
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// embeds reports whether a pattern matches a file or a folder around it.
func embeds(pattern, file string) bool {
	for ; file != "."; file = path.Dir(file) {
		if ok, _ := path.Match(pattern, file); ok { // the go command has checked the pattern
			return true
		}
	}
	return false
}

// sameArchive reports whether a package of the program is the listed one.
func sameArchive(file string, p *listed) (bool, error) {
	id, err := buildID(file)
	return content(id) == content(p.BuildID), err
}

// buildID returns the build ID in the header of an archive.
func buildID(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close() // it was only read
	scanner := bufio.NewScanner(f)
	for range 6 {
		if !scanner.Scan() {
			break
		}
		if id, ok := strings.CutPrefix(scanner.Text(), `build id "`); ok {
			return strings.TrimSuffix(id, `"`), nil
		}
	}
	return "", fmt.Errorf("%s is not the archive of a package", file)
}
