package lite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// contentsList is the name of the file that lists a folder.
const contentsList = "all.json"

// An entry is a file or a folder in the format of Jupyter's contents API.
type entry struct {
	Name         string  `json:"name"`
	Path         string  `json:"path"`
	Type         string  `json:"type"`
	Size         int     `json:"size"`
	Content      []entry `json:"content"`
	Format       *string `json:"format"`
	Created      string  `json:"created"`
	LastModified string  `json:"last_modified"`
	MimeType     *string `json:"mimetype"`
	Writable     bool    `json:"writable"`
}

func (w *writer) entry(name, kind string, size int) entry {
	return entry{Name: path.Base(name), Path: name, Type: kind, Size: size, Created: w.at, LastModified: w.at, Writable: true}
}

// contents writes the files of a folder, and for each folder a list of its content.
func (w *writer) contents(folder string) error {
	lists := map[string][]entry{".": {}}
	site, err := filepath.Abs(w.root)
	if err != nil {
		return err
	}
	err = filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if absolute, err := filepath.Abs(file); err != nil || absolute == site {
			return cmp.Or(err, fs.SkipDir)
		}
		relative, err := filepath.Rel(folder, file)
		if err != nil || relative == "." {
			return err
		}
		name := filepath.ToSlash(relative)
		parent := path.Dir(name)
		switch {
		case strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case d.IsDir():
			lists[name] = []entry{}
			lists[parent] = append(lists[parent], w.entry(name, "directory", 0))
			return nil
		case strings.HasPrefix(d.Name(), "."), !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		kind := "file"
		if path.Ext(name) == ".ipynb" {
			kind = "notebook"
			if data, err = shown(data); err != nil {
				return fmt.Errorf("%s is not a notebook: %w", file, err)
			}
			if parent == "." && w.first == "" { // files are sorted by name
				w.first = name
			}
		}
		lists[parent] = append(lists[parent], w.entry(name, kind, len(data)))
		return w.write("files/"+name, data)
	})
	if err != nil {
		return err
	}
	json := "json"
	for folder, list := range lists {
		slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
		e := w.entry(folder, "directory", 0)
		if folder == "." {
			e.Name, e.Path = "", ""
		}
		e.Content, e.Format = list, &json
		if err := w.json(path.Join("api/contents", folder, contentsList), e); err != nil {
			return err
		}
	}
	return nil
}

// modified returns the time of the newest part, so that a site is the same whenever it is built.
func modified(parts Parts) string {
	var newest time.Time
	for _, file := range []string{parts.Kernel, parts.Core, parts.Widgets} {
		if info, err := os.Stat(file); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return newest.UTC().Format(time.RFC3339)
}

// shown converts a notebook for the site. Its texts become strings: JupyterLite shows the lists of
// lines in files with commas between them. A notebook of another Go kernel is opened with this one,
// since there is no other.
func shown(notebook []byte) ([]byte, error) {
	var v map[string]any
	decoder := json.NewDecoder(bytes.NewReader(notebook))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	cells, ok := v["cells"].([]any)
	if !ok {
		return nil, errors.New("it has no cells; its format may be older than 4")
	}
	for _, c := range cells {
		cell, _ := c.(map[string]any)
		join(cell, "source")
		outputs, _ := cell["outputs"].([]any)
		for _, o := range outputs {
			output, _ := o.(map[string]any)
			join(output, "text")
			bundle, _ := output["data"].(map[string]any)
			for mime := range bundle {
				join(bundle, mime)
			}
		}
	}
	ours(v)
	return json.Marshal(v)
}

// ours sets this kernel in a Go notebook.
func ours(notebook map[string]any) {
	metadata, _ := notebook["metadata"].(map[string]any)
	spec, _ := metadata["kernelspec"].(map[string]any)
	info, _ := metadata["language_info"].(map[string]any)
	for _, language := range []any{spec["language"], info["name"]} {
		if name, ok := language.(string); ok && strings.EqualFold(name, "go") {
			metadata["kernelspec"] = map[string]any{"name": "hierml", "display_name": "Go (hierml)", "language": "go"}
			return
		}
	}
}

// join joins a list of texts.
func join(m map[string]any, key string) {
	list, ok := m[key].([]any)
	if !ok {
		return
	}
	var text strings.Builder
	for _, line := range list {
		s, ok := line.(string)
		if !ok {
			return // JSON that is a list
		}
		text.WriteString(s)
	}
	m[key] = text.String()
}
