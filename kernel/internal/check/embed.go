package check

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/hierml/notebook/kernel/internal/syntax"
)

// An Embedding is the files that a variable at the top of a cell embeds.
type Embedding struct {
	Directives []syntax.Directive
	// Patterns are the files that match each pattern, and Files their paths on disk.
	Patterns map[string][]string
	Files    map[string]string
}

// embed finds the files that the variables of a cell embed. Patterns are relative to the folder of
// a script, or else to the working directory of the cells. If there is neither, embed does nothing.
func (c *Checker) embed(k *Checked, complain func(offset int, msg string)) {
	all := slices.DeleteFunc(syntax.Directives(k.Source.Text), func(d syntax.Directive) bool { return d.Verb() != "embed" })
	if len(all) == 0 {
		return
	}
	dir := ""
	if name := k.Source.Cell.Name; name != "" {
		dir = filepath.Dir(name)
	} else if c.Folder != nil {
		dir = filepath.Clean(c.Folder())
	}
	placed := map[int]bool{}
	for _, s := range k.Body {
		for _, v := range syntax.Variables(s) {
			g := s.(*ast.DeclStmt).Decl.(*ast.GenDecl)
			at := g.TokPos
			if g.Lparen.IsValid() {
				at = v.Pos()
			}
			src, offset := c.Within(at)
			if src != k.Source {
				continue
			}
			e := &Embedding{Patterns: map[string][]string{}, Files: map[string]string{}}
			for _, d := range syntax.DirectivesBefore(src.Text, offset) {
				if d.Verb() == "embed" {
					placed[d.Offset] = true
					e.Directives = append(e.Directives, d)
				}
			}
			switch {
			case len(e.Directives) == 0:
				continue
			case len(v.Names) > 1:
				complain(e.Directives[0].Offset, "go:embed cannot apply to multiple vars")
				continue
			case len(v.Values) > 0:
				complain(e.Directives[0].Offset, "go:embed cannot apply to var with initializer")
				continue
			}
			for _, d := range e.Directives {
				if dir != "" {
					e.find(dir, d, complain)
				}
			}
			if k.Embedded == nil {
				k.Embedded = map[*ast.ValueSpec]*Embedding{}
			}
			k.Embedded[v] = e
		}
	}
	for _, d := range all {
		if !placed[d.Offset] {
			complain(d.Offset, "misplaced go:embed directive")
		}
	}
}

// find finds the files of a directive.
func (e *Embedding) find(dir string, d syntax.Directive, complain func(offset int, msg string)) {
	rest := strings.TrimPrefix(d.Text, "//go:embed")
	for first := true; ; first = false {
		rest = strings.TrimLeft(rest, " \t")
		offset := d.Offset + len(d.Text) - len(rest)
		if rest == "" {
			if first {
				complain(d.Offset, "usage: //go:embed pattern...")
			}
			return
		}
		pattern := rest
		if rest[0] == '"' || rest[0] == '`' {
			quoted, err := strconv.QuotedPrefix(rest)
			if err == nil {
				pattern, err = strconv.Unquote(quoted)
			}
			if err != nil || !strings.ContainsAny(rest[len(quoted):]+" ", " \t") {
				complain(offset, "invalid quoted string in //go:embed: "+rest)
				return
			}
			rest = rest[len(quoted):]
		} else {
			if blank := strings.IndexAny(rest, " \t"); blank >= 0 {
				pattern = rest[:blank]
			}
			rest = rest[len(pattern):]
		}
		files, err := matching(dir, pattern)
		if err != nil {
			complain(offset, fmt.Sprintf("pattern %s: %v", pattern, err))
			continue
		}
		e.Patterns[pattern] = files
		for _, file := range files {
			if e.Files[file], err = filepath.Abs(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				complain(offset, err.Error())
			}
		}
	}
}

// matching returns the files below a folder that a pattern matches, by the rules of package embed.
func matching(dir, pattern string) (files []string, err error) {
	glob, hidden := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(glob, ""); err != nil || glob == "." || !fs.ValidPath(glob) {
		return nil, fmt.Errorf("invalid pattern syntax")
	}
	matches, err := fs.Glob(os.DirFS(dir), glob)
	if err != nil {
		return nil, err
	}
	for _, match := range matches {
		info, err := os.Lstat(filepath.Join(dir, match))
		if err != nil {
			return nil, err
		}
		kind := "file"
		if info.IsDir() {
			kind = "directory"
		}
		for at := match; at != "."; at = path.Dir(at) {
			if isModule(filepath.Join(dir, at)) {
				return nil, fmt.Errorf("cannot embed %s %s: in different module", kind, match)
			}
			if name := path.Base(at); !embeddable(name) {
				if at == match {
					return nil, fmt.Errorf("cannot embed %s %s: invalid name %s", kind, match, name)
				}
				return nil, fmt.Errorf("cannot embed %s %s: in invalid directory %s", kind, match, name)
			}
		}
		switch {
		case info.Mode().IsRegular():
			files = append(files, match)
		case info.IsDir():
			before := len(files)
			err := fs.WalkDir(os.DirFS(dir), match, func(at string, entry fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				name := entry.Name()
				skipped := at != match && (!embeddable(name) || (name[0] == '.' || name[0] == '_') && !hidden)
				switch {
				case entry.IsDir() && (skipped || isModule(filepath.Join(dir, at))):
					return fs.SkipDir
				case entry.Type().IsRegular() && !skipped:
					files = append(files, at)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			if len(files) == before {
				return nil, fmt.Errorf("cannot embed directory %s: contains no embeddable files", match)
			}
		default:
			return nil, fmt.Errorf("cannot embed irregular file %s", match)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no matching files found")
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// isModule reports whether a folder is that of a module.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// embeddable reports whether a file or folder of a name may be embedded.
func embeddable(name string) bool {
	return module.CheckFilePath(name) == nil && !slices.Contains([]string{".bzr", ".hg", ".git", ".svn"}, name)
}
