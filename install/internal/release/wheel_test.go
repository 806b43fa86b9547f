package release

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// parts are those of a distribution whose program is the Go program of a line.
func parts(t *testing.T) Parts {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "hierml")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", program, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return Parts{
		System:        System{OS: "linux", Arch: "amd64"},
		Version:       Version{Go: "v1.2.3", Commit: strings.Repeat("0123456789", 4), Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		Program:       content,
		Source:        []byte("sources"),
		SourceID:      []byte("id\n"),
		Documentation: []byte("documentation"),
		Course:        []byte("course"),
		Manual:        []byte(".TH HIERML 1\n"),
		Licences:      []byte("licences\n"),
	}
}

// clone is the folder of the clone.
const clone = "../../.."

func TestWheel(t *testing.T) {
	p := parts(t)
	wheel, err := p.Wheel(clone)
	if err != nil {
		t.Fatal(err)
	}
	if want := "hierml-1.2.3-py3-none-manylinux_2_17_x86_64.whl"; wheel.Name != want {
		t.Errorf("the wheel is %s, want %s", wheel.Name, want)
	}
	if again, err := p.Wheel(clone); err != nil || !bytes.Equal(again.Content, wheel.Content) {
		t.Errorf("the second one is another: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(wheel.Content), int64(len(wheel.Content)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := files[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = string(content)
		if executable := f.Mode()&0o111 != 0; executable != (path.Base(f.Name) == "hierml") {
			t.Errorf("%s has mode %s", f.Name, f.Mode())
		}
		if !f.Modified.Equal(p.Version.Time.Truncate(2*time.Second)) && !f.Modified.Equal(p.Version.Time) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	const data, info = "hierml-1.2.3.data/", "hierml-1.2.3.dist-info/"
	for name, want := range map[string]string{
		data + "scripts/hierml":                                 string(p.Program),
		data + "data/share/hierml/source.tar.gz":                "sources",
		data + "data/share/hierml/godoc.jsonl.gz":               "documentation",
		data + "data/share/hierml/course.tar.gz":                "course",
		data + "data/share/man/man1/hierml.1":                   ".TH HIERML 1\n",
		info + "licenses/licences.txt":                          "licences\n",
		info + "entry_points.txt":                               entryPoints,
		"hierml/py.typed":                                       files["hierml/py.typed"],
		data + "data/share/jupyter/kernels/hierml/logo-svg.svg": files[data+"data/share/jupyter/kernels/hierml/logo-svg.svg"],
	} {
		if got, ok := files[name]; !ok || got != want {
			t.Errorf("%s: there %t, %d bytes, want %d", name, ok, len(got), len(want))
		}
	}
	project, err := os.ReadFile(filepath.Join(clone, "python", "pyproject.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(files[info+"entry_points.txt"]) {
		group := strings.NewReplacer("[", "[project.entry-points.\"", "]", "\"]").Replace(line)
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if !strings.Contains(string(project), "\n"+group) && !strings.Contains(string(project), "\n"+name+" = \""+value+"\"\n") {
			t.Errorf("pyproject.toml has no entry point %s", line)
		}
	}
	if text := files["hierml/__init__.py"]; !strings.Contains(text, "\n__version__ = \"1.2.3\"\n") {
		t.Errorf("the Python package is of another version:\n%s", text)
	}
	var kernel struct{ Argv []string }
	if err := json.Unmarshal([]byte(files[data+"data/share/jupyter/kernels/hierml/kernel.json"]), &kernel); err != nil {
		t.Fatal(err)
	}
	// From where the kernel is installed to where the program is.
	if want := []string{"{resource_dir}/../../../../bin/hierml", "kernel", "{connection_file}"}; !slices.Equal(kernel.Argv, want) {
		t.Errorf("the kernel starts %q, want %q", kernel.Argv, want)
	}
	if got := path.Join("share/jupyter/kernels/hierml", "../../../../bin/hierml"); got != "bin/hierml" {
		t.Errorf("the program would be %s", got)
	}
	// RECORD lists all, with the sums.
	lines, err := csv.NewReader(strings.NewReader(files[info+"RECORD"])).ReadAll()
	if err != nil || len(lines) != len(files) {
		t.Fatalf("RECORD has %d lines for %d files, %v", len(lines), len(files), err)
	}
	for _, line := range lines {
		sum := sha256.Sum256([]byte(files[line[0]]))
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); line[1] != want && line[0] != info+"RECORD" {
			t.Errorf("%s has the sum %s, want %s", line[0], line[1], want)
		}
	}
}

// TestWheelSystems holds that wheels for other systems are named as pip looks for them, and start
// the program from where pip puts it there.
func TestWheelSystems(t *testing.T) {
	for _, tt := range []struct{ system, tag, script, program string }{
		{"windows/amd64", "win_amd64", "hierml.exe", "Scripts/hierml.exe"},
		{"darwin/amd64", "macosx_12_0_x86_64", "hierml", "bin/hierml"},
		{"darwin/arm64", "macosx_12_0_arm64", "hierml", "bin/hierml"},
	} {
		p := parts(t)
		p.System.OS, p.System.Arch, _ = strings.Cut(tt.system, "/")
		p.Source, p.SourceID = nil, nil
		wheel, err := p.Wheel(clone)
		if err != nil {
			t.Fatal(err)
		}
		if want := "hierml-1.2.3-py3-none-" + tt.tag + ".whl"; wheel.Name != want {
			t.Errorf("%s: the wheel is %s, want %s", tt.system, wheel.Name, want)
		}
		z, err := zip.NewReader(bytes.NewReader(wheel.Content), int64(len(wheel.Content)))
		if err != nil {
			t.Fatal(err)
		}
		const data = "hierml-1.2.3.data/"
		if _, err := fs.Stat(z, data+"scripts/"+tt.script); err != nil {
			t.Errorf("%s: %v", tt.system, err)
		}
		spec, err := fs.ReadFile(z, data+"data/share/jupyter/kernels/hierml/kernel.json")
		if err != nil || !strings.Contains(string(spec), `"{resource_dir}/../../../../`+tt.program+`"`) {
			t.Errorf("%s: %v, the kernel is\n%s", tt.system, err, spec)
		}
	}
}

func TestWheelRefused(t *testing.T) {
	for name, change := range map[string]func(*Parts){
		"no program":           func(p *Parts) { p.Program = []byte("text") },
		"an unknown system":    func(p *Parts) { p.System.OS = "plan9" },
		"an unknown processor": func(p *Parts) { p.System.Arch = "riscv64" },
	} {
		p := parts(t)
		change(&p)
		if wheel, err := p.Wheel(clone); err == nil {
			t.Errorf("%s: there is a wheel %s", name, wheel.Name)
		}
	}
}
