package assist

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/kernel/internal/check/typed"
	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// completeString completes a source up to an offset within a string that begins at start: import
// paths in imports, names of data sets where one is opened, and file names in other strings. It
// returns the offset from which a candidate replaces the text.
func (a *Assistant) completeString(source string, at, start int) (int, []Candidate) {
	text := source[:at]
	content := text[start:]
	if items := syntax.Split(text[:start-1]); len(items) > 0 {
		last := items[len(items)-1]
		if last.Kind == syntax.ItemImport && last.Semicolon < 0 && !strings.Contains(strings.TrimSpace(text[last.End:start-1]), "\n") {
			return start, a.importPaths(content)
		}
	}
	quote := text[start-1]
	if a.DataSets != nil && a.opensData(source, start-1, at) {
		var out []Candidate
		for _, name := range a.DataSets() {
			if escaped, ok := escape(name, quote); ok && strings.HasPrefix(escaped, content) {
				out = append(out, Candidate{Text: escaped, Kind: "dataset"})
			}
		}
		return start, out
	}
	begins := start + strings.LastIndexByte(content, '/') + 1
	path, ok := unescape(content, quote)
	if !ok {
		return start, nil
	}
	var out []Candidate
	for _, name := range fileNames(a.Folder(), path) {
		if escaped, ok := escape(name, quote); ok {
			out = append(out, Candidate{Text: escaped, Kind: "path"})
		}
	}
	return begins, out
}

// opensData reports whether the string between two offsets is the argument of a function of package
// collection that takes the name of a data set.
func (a *Assistant) opensData(source string, start, end int) (opens bool) {
	const collections = "github.com/hierml/notebook/hierml/collection"
	before := syntax.Mend(source[:start])
	a.Mutex.Lock()
	defer a.Mutex.Unlock()
	show(a.Checker, syntax.Cut(before, placeholder, syntax.Following(source, end)), len(before), func(v *view) {
		path := v.pathTo(len(before))
		if len(path) < 2 {
			return
		}
		call, ok := path[len(path)-2].(*ast.CallExpr)
		if !ok {
			return
		}
		f := typed.Tree{Info: v.k.Info}.CalleeObject(ast.Unparen(call.Fun))
		sig, ok := v.k.Info.TypeOf(call.Fun).(*types.Signature)
		i := slices.Index(call.Args, path[len(path)-1].(ast.Expr))
		opens = ok && f != nil && f.Pkg() != nil && f.Pkg().Path() == collections &&
			0 <= i && i < sig.Params().Len() && sig.Params().At(i).Name() == "name"
	})
	return opens
}

// unescape returns the value of the content of an unfinished string.
func unescape(content string, quote byte) (text string, ok bool) {
	if quote == '`' {
		return content, !strings.Contains(content, "\n")
	}
	text, err := strconv.Unquote(`"` + content + `"`)
	return text, err == nil && !strings.Contains(text, "\n")
}

// escape writes text as the content of a string.
func escape(text string, quote byte) (content string, ok bool) {
	if quote == '`' {
		return text, strconv.CanBackquote(text)
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1], true
}

// importPaths returns the import paths that begin with prefix, or else those of packages whose
// names do.
func (a *Assistant) importPaths(prefix string) []Candidate {
	library, ok := a.Checker.Importer.(program.Library)
	if !ok {
		return nil
	}
	var out, named []Candidate
	for _, path := range library.Paths() {
		c := Candidate{Text: path, Kind: "package"}
		if strings.HasPrefix(path, prefix) {
			out = append(out, c)
		} else if strings.Contains(path, "/"+prefix) {
			named = append(named, c)
		}
	}
	if len(out) == 0 {
		return named
	}
	return out
}

// fileNames returns the names that complete a path: first folders, with a slash, then other files.
// A folder that cannot be read has none.
func fileNames(folder, path string) []string {
	dir, prefix := filepath.Split(path)
	where := dir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		where = filepath.Join(home, rest)
	} else if !filepath.IsAbs(dir) {
		where = filepath.Join(folder, dir)
	}
	if where == "" {
		where = "."
	}
	entries, _ := os.ReadDir(where)
	var folders, files []string
	for _, entry := range entries {
		name := entry.Name()
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(prefix, ".")
		if hidden || !strings.HasPrefix(name, prefix) {
			continue
		}
		isFolder := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(where, name))
			isFolder = err == nil && info.IsDir()
		}
		if isFolder {
			folders = append(folders, name+"/")
		} else {
			files = append(files, name)
		}
	}
	return append(folders, files...)
}
