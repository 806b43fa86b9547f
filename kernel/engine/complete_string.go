package engine

import (
	"os"
	"slices"
	"strings"
)

// completeString completes text that ends within a string that begins at an
// offset: import paths within imports, names of files within other strings. It
// returns from where on a candidate replaces the text.
func (e *Engine) completeString(text string, start int) (int, []Candidate) {
	content := text[start:]
	if items := split(text[:start-1]); len(items) > 0 {
		last := items[len(items)-1]
		if last.kind == itemImport && last.semicolon < 0 && !strings.Contains(strings.TrimSpace(text[last.end:start-1]), "\n") {
			return start, e.importPaths(content)
		}
	}
	if strings.ContainsAny(content, "\\\n") {
		return start, nil
	}
	dir, name := "", content
	if slash := strings.LastIndexByte(content, '/'); slash >= 0 {
		dir, name = content[:slash+1], content[slash+1:]
	}
	return start + len(dir), fileNames(dir, name)
}

// importPaths returns the import paths that begin like one.
func (e *Engine) importPaths(prefix string) []Candidate {
	library, ok := e.checker.importer.(Library)
	if !ok {
		return nil
	}
	var out []Candidate
	for _, path := range library.Paths() {
		if strings.HasPrefix(path, prefix) {
			out = append(out, Candidate{Text: path, Kind: "package"})
		}
	}
	return out
}

// fileNames returns the files of a folder whose names begin like one; folders
// end with a slash. A folder that cannot be read has none.
func fileNames(dir, prefix string) []Candidate {
	folder := dir
	if folder == "" {
		folder = "."
	}
	entries, _ := os.ReadDir(folder)
	var out []Candidate
	for _, entry := range entries {
		name := entry.Name()
		hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(prefix, ".")
		if hidden || !strings.HasPrefix(name, prefix) {
			continue
		}
		if info, err := os.Stat(dir + name); err == nil && info.IsDir() {
			name += "/"
		}
		out = append(out, Candidate{Text: name, Kind: "path"})
	}
	slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	return out
}
