// Package lite writes sites on which notebooks run in the reader's browser: JupyterLite, which is
// JupyterLab without a server, with the kernel hierml as WebAssembly, and the files of a folder.
// Any web server can serve them.
//
// The command install builds or fetches the parts of a site: the kernel and JupyterLite.
package lite

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Summary describes the content of a site.
type Summary struct {
	Files int
	Bytes int64
}

//go:embed extension
var extension embed.FS

//go:embed service-worker.js
var serviceWorker []byte

// Build writes a site with the files of a folder of notebooks into a folder, which must be new or
// empty. It omits files and folders whose names begin with a dot.
func Build(site, notebooks string, parts Parts) (Summary, error) {
	s := &writer{root: site, at: modified(parts), icon: parts.Logos["logo-32x32.png"]}
	entries, err := os.ReadDir(site)
	if err != nil && !os.IsNotExist(err) {
		return Summary{}, err
	}
	if len(entries) > 0 {
		return Summary{}, fmt.Errorf("%s is not empty. Name a new folder, or remove it", site)
	}
	for _, step := range []func() error{
		func() error { return s.application(parts.Core) },
		func() error { return s.widgets(parts.Widgets) },
		func() error { return s.kernel(parts) },
		func() error { return s.licences(parts) },
		func() error { return s.contents(notebooks) },
		s.entrance,
		s.settings,
	} {
		if err := step(); err != nil {
			return Summary{}, err
		}
	}
	return s.Summary, nil
}

// A writer writes a site.
type writer struct {
	Summary
	root       string
	at         string           // modification time of all files, in Jupyter's format
	first      string           // name of the notebook that the site opens, if any
	icon       []byte           // of the pages, in a format for browsers
	extensions []map[string]any // in the format of jupyter-lite.json
	schemas    []map[string]any // of their settings
}

// write writes a file of the site, by its path with slashes.
func (w *writer) write(name string, data []byte) error {
	file := filepath.Join(w.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	w.Files++
	w.Bytes += int64(len(data))
	return os.WriteFile(file, data, 0o644)
}

func (w *writer) json(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.write(name, data)
}

// kernel writes the extension with the kernel. The name of its folder depends on the content, so
// that browsers do not use the cached file of another version.
func (w *writer) kernel(parts Parts) error {
	files := map[string][]byte{}
	paths := map[string]string{kernelName: parts.Kernel, supportName: parts.Support}
	maps.Copy(paths, parts.Beside)
	for name, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[name] = data
	}
	var err error
	if files["beside.json"], err = json.Marshal(map[string]any{
		"size": len(files[kernelName]), "files": slices.Sorted(maps.Keys(parts.Beside)),
	}); err != nil {
		return err
	}
	for name, data := range parts.Logos {
		files[name] = data
	}
	var description []byte
	scripts, err := fs.ReadDir(extension, "extension")
	if err != nil {
		return err
	}
	for _, entry := range scripts {
		data, err := extension.ReadFile("extension/" + entry.Name())
		if err != nil {
			return err
		}
		if entry.Name() == "package.json" {
			description = data
			continue
		}
		files[entry.Name()] = data
	}
	names := slices.Sorted(maps.Keys(files))
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintf(sum, "%s %d\n", name, len(files[name]))
		sum.Write(files[name])
	}
	static := "static-" + hex.EncodeToString(sum.Sum(nil))[:16]
	var p map[string]any
	if err := json.Unmarshal(description, &p); err != nil {
		return err
	}
	p["jupyterlab"].(map[string]any)["_build"] = map[string]any{"load": static + "/remoteEntry.js", "extension": "./extension"}
	if description, err = json.Marshal(p); err != nil {
		return err
	}
	const folder = "@hierml/lite-kernel/"
	if err := w.extension(folder+"package.json", description); err != nil {
		return err
	}
	for _, name := range names {
		if err := w.extension(folder+static+"/"+name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// licences writes those of the kernel, of JupyterLite and of the widgets. The licences of the
// components of the latter two are in their own files, third-party-licenses.json.
func (w *writer) licences(parts Parts) error {
	text, err := os.ReadFile(parts.Licences)
	if err != nil {
		return err
	}
	for _, of := range []struct{ what, wheel string }{{"JupyterLite", parts.Core}, {"the widgets of Jupyter", parts.Widgets}} {
		licence, err := wheelLicence(of.wheel)
		if err != nil {
			return err
		}
		text = append(text, "\n\n"+of.what+"\n\n"+licence...)
	}
	return w.write("licences.txt", text)
}

// extension writes a file of an extension, by its path among the extensions: SCOPE/NAME/FILE.
func (w *writer) extension(name string, data []byte) error {
	parts := strings.Split(name, "/")
	switch {
	case len(parts) == 3 && parts[2] == "package.json":
		var p struct {
			Name       string
			Jupyterlab struct {
				Build map[string]any `json:"_build"`
			}
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		build := map[string]any{"name": p.Name}
		for key, value := range p.Jupyterlab.Build {
			build[key] = value
		}
		w.extensions = append(w.extensions, build)
	case len(parts) > 5 && parts[2] == "schemas" && path.Ext(name) == ".json":
		var schema map[string]any
		if err := json.Unmarshal(data, &schema); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		w.schemas = append(w.schemas, map[string]any{
			"id":     strings.Join(parts[3:5], "/") + ":" + strings.TrimSuffix(parts[5], ".json"),
			"schema": schema, "raw": "{}", "settings": map[string]any{}, "version": "0",
		})
	}
	return w.write("extensions/"+name, data)
}

// entrance writes the page at the site's own address, which redirects to JupyterLab with the first
// notebook. Pages of JupyterLite read settings from it.
func (w *writer) entrance() error {
	lab, alone := "lab/index.html", "tree/index.html"
	if w.first != "" {
		query := "?path=" + strings.ReplaceAll(url.QueryEscape(w.first), "+", "%20")
		lab, alone = lab+query, "notebooks/index.html"+query
	}
	return w.write(entranceFile, fmt.Appendf(nil, `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>hierml</title>
<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{}</script>
<script>location.replace(matchMedia('(max-width: %dpx)').matches ? '%s' : '%s');</script>
<p><a href="%[3]s">To the notebooks</a>, or <a href="%[2]s">to one notebook for a narrow screen</a>
</html>
`, narrow, alone, lab))
}

// narrow is the width of a screen, in pixels, up to which JupyterLab leaves a notebook no room.
const narrow = 760

// entranceFile is the file that servers send for the address of a folder.
const entranceFile = "index.html"

// settingsFile is the file that JupyterLite reads first.
const settingsFile = "jupyter-lite.json"

// settings writes the settings that JupyterLite reads at its start, and the answers of a server.
func (w *writer) settings() error {
	file := filepath.Join(w.root, settingsFile)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c map[string]any
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("%s: %w", settingsFile, err)
	}
	settings, ok := c["jupyter-config-data"].(map[string]any)
	if !ok {
		return fmt.Errorf("%s has no jupyter-config-data: this version of JupyterLite is not supported", settingsFile)
	}
	settings["appName"], settings["defaultKernelName"] = "hierml", "hierml"
	settings["federated_extensions"] = w.extensions
	settings["contentsAllJsonFile"] = contentsList
	// A notebook that names no kernel would otherwise open a dialog.
	settings["settingsOverrides"] = map[string]any{"@jupyterlab/notebook-extension:tracker": map[string]any{"autoStartDefaultKernel": true}}
	settings["enableServiceWorkerCache"] = true
	settings["exposeAppInBrowser"] = true
	kind := func(name, mime, format string, extensions ...string) map[string]any {
		return map[string]any{"name": name, "extensions": extensions, "mimeTypes": []string{mime}, "fileFormat": format}
	}
	settings["fileTypes"] = map[string]any{
		"csv": kind("csv", "text/csv", "text", ".csv", ".tsv"),
		"gz":  kind("gz", "application/gzip", "base64", ".gz", ".zip"),
	}
	w.Files-- // the file was already counted
	w.Bytes -= int64(len(data))
	english := map[string]string{"displayName": "English", "nativeName": "English"}
	for name, v := range map[string]any{
		settingsFile:                       c,
		"api/translations/all.json":        map[string]any{"data": map[string]any{"en": english}, "message": ""},
		"api/translations/en.json":         map[string]any{"data": map[string]any{}, "message": ""},
		"build/schemas/all_federated.json": w.schemas,
	} {
		if err := w.json(name, v); err != nil {
			return err
		}
	}
	return nil
}
