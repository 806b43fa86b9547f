package doc

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the licences anew that the program prints")

// licencesFile is what `hierml licences` prints.
const licencesFile = root + "/kernel/licences.txt"

// module is one that the program is linked with.
type module struct {
	dir      string
	packages []string // the folders of those that are linked
}

// linkedModules returns the modules that the program is linked with, on any of the systems that
// something is released for, by their paths.
func linkedModules(t *testing.T) map[string]*module {
	t.Helper()
	linked := map[string]*module{}
	for _, system := range [][]string{{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1"}, {"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, {"GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0"}} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./kernel")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), system...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) != 3 {
				continue // of the standard library, or of this module
			}
			m := linked[fields[0]]
			if m == nil {
				m = &module{dir: fields[1]}
				linked[fields[0]] = m
			}
			if !slices.Contains(m.packages, fields[2]) {
				m.packages = append(m.packages, fields[2])
			}
		}
	}
	if len(linked) < 20 {
		t.Fatalf("only %d modules are linked, which cannot be", len(linked))
	}
	return linked
}

// licenceName is that of files with licences, and with what else has to go along.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)[^/]*$`)

// elsewhere are the files with licences that other ones only point to, or that are named otherwise.
var elsewhere = map[string][]string{
	"github.com/golang/freetype": {"licenses/ftl.txt"},
	"golang.org/x/image":         {"font/gofont/ttfs/README"},
}

// licences returns the licences of a module, by the paths of their files in it: those beside its
// linked packages, and above them.
func (m *module) licences(t *testing.T, path string) map[string]string {
	t.Helper()
	files := map[string]string{}
	add := func(file string) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(m.dir, file)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.ToSlash(name)] = string(content)
	}
	seen := map[string]bool{}
	for _, dir := range m.packages {
		for ; !seen[dir] && strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			seen[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Type().IsRegular() && licenceName.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					add(filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	for _, name := range elsewhere[path] {
		add(filepath.Join(m.dir, name))
	}
	if len(files) == 0 {
		t.Errorf("%s has no licence beside its packages", path)
	}
	return files
}

// TestLicences holds that the program carries the licences of all that it is linked with, in the
// versions of go.mod, and NOTICE.md in front of them. It writes them with -update.
func TestLicences(t *testing.T) {
	page, err := os.ReadFile("../NOTICE.md")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{} // what a text is the licence of
	add := func(what, text string) {
		text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
		of[text] = append(of[text], what)
	}
	for path, m := range linkedModules(t) {
		for name, text := range m.licences(t, path) {
			add(path+" ("+name+")", text)
		}
	}
	own, err := os.ReadFile(root + "/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	add("hierml (LICENSE)", string(own))
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), name))
		if err != nil {
			t.Skipf("this Go comes without its licence, so nothing was compared: %v", err)
		}
		add("Go and its standard library ("+name+")", string(text))
	}
	for _, whats := range of {
		slices.Sort(whats)
	}
	var want bytes.Buffer
	want.Write(page)
	for _, text := range slices.SortedFunc(maps.Keys(of), func(a, b string) int { return strings.Compare(of[a][0], of[b][0]) }) {
		fmt.Fprintf(&want, "\n%s\n%s\n\n%s", strings.Repeat("-", 72), strings.Join(of[text], "\n"), text)
	}
	if *update {
		if err := os.WriteFile(licencesFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(licencesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not what NOTICE.md and the modules say: run `go test ./doc -run TestLicences -update`", licencesFile)
	}
}

// TestLibraryModules keeps the list of modules short that a program needs which uses the library
// without charts and studies.
func TestLibraryModules(t *testing.T) {
	want := []string{
		"github.com/klauspost/compress", "github.com/mikelolasagasti/xz", "golang.org/x/sync", "golang.org/x/sys",
		"gonum.org/v1/gonum",
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./hierml/svm", "./hierml/files", "./hierml/taxonomy")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("svm, files and taxonomy need the modules\n%q, want\n%q", got, want)
	}
}
