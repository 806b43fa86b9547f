package lite

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wheel writes a wheel with files.
func wheel(t *testing.T, path string, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file(t, path, b.String())
}

// archive returns a compressed archive with files.
func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	a := tar.NewWriter(z)
	for name, content := range files {
		if err := a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func file(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// parts returns those of a small JupyterLite.
func parts(t *testing.T) Parts {
	dir := t.TempDir()
	return Parts{
		Kernel:  file(t, filepath.Join(dir, "hierml.wasm.xz"), "the kernel"),
		Support: file(t, filepath.Join(dir, "wasm_exec.js"), "what runs it"),
		Core: wheel(t, filepath.Join(dir, "core.whl"), map[string]string{
			"jupyterlite_core/__init__.py":                      "",
			"jupyterlite_core-0.8.6.dist-info/licenses/LICENSE": "that of JupyterLite",
			"jupyterlite_core/jupyterlite-app-0.8.6.tgz": archive(t, map[string]string{
				"package/jupyter-lite.json":       `{"jupyter-config-data":{"appName":"another","kept":1}}`,
				"package/index.html":              "another",
				"package/lab/index.html":          "a page",
				"package/lab/favicon.ico":         "an icon",
				"package/service-worker.js":       "another",
				"package/build/lab/bundle.js":     "code",
				"package/build/lab/bundle.js.map": "where it comes from",
			}),
		}),
		Widgets: wheel(t, filepath.Join(dir, "widgets.whl"), map[string]string{
			"widgets-3.dist-info/licenses/LICENSE":                                                      "that of the widgets",
			"widgets-3.data/data/share/jupyter/labextensions/@a/widgets/package.json":                   `{"name":"@a/widgets","jupyterlab":{"_build":{"load":"static/entry.js","extension":"./extension"}}}`,
			"widgets-3.data/data/share/jupyter/labextensions/@a/widgets/static/entry.js":                "widgets",
			"widgets-3.data/data/share/jupyter/labextensions/@a/widgets/schemas/@a/widgets/plugin.json": `{"title":"settings"}`,
		}),
		Beside:   map[string]string{"godoc.jsonl.gz": file(t, filepath.Join(dir, "documentation"), "what is written about Go")},
		Licences: file(t, filepath.Join(dir, "licences.txt"), "those of the kernel"),
		Logos:    map[string][]byte{"logo-svg.svg": []byte("<svg/>"), "logo-32x32.png": []byte("ours")},
	}
}

func TestBuild(t *testing.T) {
	notebooks, site := t.TempDir(), filepath.Join(t.TempDir(), "site")
	notebook := `{"cells":[{"cell_type":"code","source":["a\n","b"],"outputs":[
		{"output_type":"stream","text":["x\n","y\n"]},
		{"output_type":"display_data","data":{"text/plain":["1\n","2"],"application/json":[1,2],"text/html":"<p>"}}]}],
		"nbformat":4,"metadata":{"big":12345678901234567890}}`
	file(t, filepath.Join(notebooks, "one & only.ipynb"), notebook)
	file(t, filepath.Join(notebooks, "two.ipynb"), notebook)
	file(t, filepath.Join(notebooks, "data", "before.ipynb"), notebook)
	file(t, filepath.Join(notebooks, "data", "in", "numbers.csv"), "1,2\n")
	file(t, filepath.Join(notebooks, ".ipynb_checkpoints", "one.ipynb"), notebook)
	file(t, filepath.Join(notebooks, ".hidden"), "")
	p := parts(t)
	summary, err := Build(site, notebooks, p)
	if err != nil {
		t.Fatal(err)
	}
	number, size := 0, int64(0)
	err = filepath.WalkDir(site, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(path, ".map") {
			t.Errorf("the site has %s", path)
		}
		number++
		size += info.Size()
		return nil
	})
	if err != nil || summary != (Summary{number, size}) {
		t.Errorf("the site has %d files with %d bytes, the summary says %+v (%v)", number, size, summary, err)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(site, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	want := `{"cells":[{"cell_type":"code","outputs":[{"output_type":"stream","text":"x\ny\n"},` +
		`{"data":{"application/json":[1,2],"text/html":"\u003cp\u003e","text/plain":"1\n2"},"output_type":"display_data"}],"source":"a\nb"}],` +
		`"metadata":{"big":12345678901234567890},"nbformat":4}`
	if got := read("files/one & only.ipynb"); got != want {
		t.Errorf("the notebook is\n%s\nwant\n%s", got, want)
	}
	for list, names := range map[string]string{"": "data one & only.ipynb two.ipynb", "data": "before.ipynb in", "data/in": "numbers.csv"} {
		var e entry
		if err := json.Unmarshal([]byte(read("api/contents/"+list+"/all.json")), &e); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range e.Content {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != names || e.Path != list {
			t.Errorf("the list of %q is of %q and has %q, want %q", list, e.Path, got, names)
		}
	}
	var settings struct {
		Data struct {
			AppName    string
			Kept       int
			Extensions []struct{ Name, Load, Extension string } `json:"federated_extensions"`
		} `json:"jupyter-config-data"`
	}
	if err := json.Unmarshal([]byte(read("jupyter-lite.json")), &settings); err != nil {
		t.Fatal(err)
	}
	if d := settings.Data; d.AppName != "hierml" || d.Kept != 1 || len(d.Extensions) != 2 {
		t.Fatalf("the settings are %+v", d)
	}
	for _, e := range settings.Data.Extensions {
		if read("extensions/"+e.Name+"/"+e.Load) == "" || e.Extension != "./extension" {
			t.Errorf("the extension %+v", e)
		}
	}
	entry := settings.Data.Extensions[1].Load
	folder := "extensions/@hierml/lite-kernel/" + strings.TrimSuffix(entry, "remoteEntry.js")
	for name, content := range map[string]string{"hierml.wasm.xz": "the kernel", "wasm_exec.js": "what runs it", "godoc.jsonl.gz": "what is written about Go", "logo-svg.svg": "<svg/>"} {
		if got := read(folder + name); got != content {
			t.Errorf("%s is %q", name, got)
		}
	}
	if got := read(folder + "beside.json"); got != `{"files":["godoc.jsonl.gz"],"size":10}` {
		t.Errorf("beside.json is %s", got)
	}
	for _, name := range []string{"favicon.ico", "lab/favicon.ico"} {
		if got := read(name); got != "ours" {
			t.Errorf("%s is %q", name, got)
		}
	}
	if got := read("service-worker.js"); got != string(serviceWorker) {
		t.Errorf("the service worker is %s", got)
	}
	const first = "/index.html?path=one%20%26%20only.ipynb'"
	if got := read("index.html"); !strings.Contains(got, "? 'notebooks"+first+" : 'lab"+first) || strings.Contains(got, "another") {
		t.Errorf("the site opens with %s", got)
	}
	if schemas := read("build/schemas/all_federated.json"); !strings.Contains(schemas, `"id":"@a/widgets:plugin"`) {
		t.Errorf("the schemas are %s", schemas)
	}

	for _, licence := range []string{"those of the kernel", "that of JupyterLite", "that of the widgets"} {
		if !strings.Contains(read("licences.txt"), licence) {
			t.Errorf("licences.txt lacks %s", licence)
		}
	}

	// Parts that are kept make the same site.
	kept := t.TempDir()
	if err := p.Keep(kept); err != nil {
		t.Fatal(err)
	}
	again, err := Kept(kept)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Build(filepath.Join(t.TempDir(), "site"), notebooks, again)
	if err != nil || same != summary {
		t.Errorf("of kept parts: %+v, %v, want %+v", same, err, summary)
	}
	file(t, filepath.Join(kept, versionName), "another")
	if _, err := Kept(kept); err == nil || !strings.Contains(err.Error(), "of another version") {
		t.Errorf("parts of another version: %v", err)
	}
	if _, err := Kept(notebooks); err == nil || !strings.Contains(err.Error(), "go run ./install lite") {
		t.Errorf("parts that are not there: %v", err)
	}

	// Another kernel has another folder.
	file(t, p.Kernel, "another kernel")
	second := filepath.Join(t.TempDir(), "site")
	if _, err := Build(second, notebooks, p); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(second, "extensions/@hierml/lite-kernel", entry)); err == nil {
		t.Error("two kernels have one folder: browsers would take the one from their caches")
	}
}

func TestKernelOfNotebooks(t *testing.T) {
	const spec = `"kernelspec":{"display_name":"Go (hierml)","language":"go","name":"hierml"}`
	for metadata, want := range map[string]string{
		`{"kernelspec":{"name":"gonb","display_name":"Go (gonb)","language":"go"}}`:               `{` + spec + `}`,
		`{"kernelspec":{"name":"gophernotes","display_name":"Go"},"language_info":{"name":"go"}}`: `{` + spec + `,"language_info":{"name":"go"}}`,
		`{"kernelspec":{"language":"python","name":"python3"}}`:                                   `{"kernelspec":{"language":"python","name":"python3"}}`,
		`{}`: `{}`,
	} {
		got, err := shown([]byte(`{"cells":[],"metadata":` + metadata + `}`))
		if err != nil || string(got) != `{"cells":[],"metadata":`+want+`}` {
			t.Errorf("%s becomes %s, %v", metadata, got, err)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	notebooks, full := t.TempDir(), t.TempDir()
	file(t, filepath.Join(full, "index.html"), "")
	if _, err := Build(full, notebooks, parts(t)); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a site over other files: %v", err)
	}
	p := parts(t)
	p.Core = p.Widgets
	if _, err := Build(filepath.Join(t.TempDir(), "site"), notebooks, p); err == nil || !strings.Contains(err.Error(), "jupyterlite-app") {
		t.Errorf("another wheel than JupyterLite's: %v", err)
	}
	file(t, filepath.Join(notebooks, "old.ipynb"), `{"worksheets":[]}`)
	if _, err := Build(filepath.Join(t.TempDir(), "site"), notebooks, parts(t)); err == nil || !strings.Contains(err.Error(), "old.ipynb") {
		t.Errorf("an old notebook: %v", err)
	}
}
