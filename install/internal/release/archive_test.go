package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hierml/notebook/internal/testrun"
)

// installed are the files below the prefix.
var installed = []string{
	"bin/hierml", "share/hierml/course.tar.gz", "share/hierml/godoc.jsonl.gz", "share/hierml/licences.txt", "share/hierml/source.id", "share/hierml/source.tar.gz",
	"share/jupyter/kernels/hierml/kernel.json", "share/jupyter/kernels/hierml/logo-32x32.png",
	"share/jupyter/kernels/hierml/logo-64x64.png", "share/jupyter/kernels/hierml/logo-svg.svg", "share/man/man1/hierml.1",
}

func TestArchive(t *testing.T) {
	p := parts(t)
	a, err := p.Archive()
	if err != nil || a.Name != "hierml-1.2.3-linux-amd64.tar.gz" {
		t.Fatalf("%s, %v", a.Name, err)
	}
	if again, err := p.Archive(); err != nil || !bytes.Equal(again.Content, a.Content) {
		t.Errorf("the second one is another: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(a.Content))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files := tar.NewReader(z); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if !header.ModTime.Equal(p.Version.Time) || header.Uname != "" || header.Uid != 0 {
			t.Errorf("%s is of %s, %s (%d)", header.Name, header.ModTime, header.Uname, header.Uid)
		}
	}
	if !slices.Equal(names, installed) {
		t.Errorf("it has %q, want %q", names, installed)
	}
}

// TestDebian has dpkg read the package, unpack it and compare the sums.
func TestDebian(t *testing.T) {
	p := parts(t)
	a, err := p.Debian([]byte("Redistribution\n\nis permitted.\n"))
	if err != nil || a.Name != "hierml_1.2.3_amd64.deb" {
		t.Fatalf("%s, %v", a.Name, err)
	}
	dpkg, err := exec.LookPath("dpkg-deb")
	testrun.Need(t, "dpkg-deb", err)
	dir := t.TempDir()
	file := filepath.Join(dir, a.Name)
	if err := os.WriteFile(file, a.Content, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for field, want := range map[string]string{"Package": "hierml", "Version": "1.2.3", "Architecture": "amd64", "Depends": "libc6"} {
		if got := strings.TrimSpace(run(dpkg, "--field", file, field)); got != want {
			t.Errorf("%s is %q, want %q", field, got, want)
		}
	}
	root, about := filepath.Join(dir, "root"), filepath.Join(dir, "about")
	run(dpkg, "--extract", file, root)
	run(dpkg, "--control", file, about)
	sums, err := os.ReadFile(filepath.Join(about, "md5sums"))
	if err != nil {
		t.Fatal(err)
	}
	if want := len(installed) + 1; strings.Count(string(sums), "\n") != want {
		t.Errorf("%d files have sums, want %d:\n%s", strings.Count(string(sums), "\n"), want, sums)
	}
	check := exec.Command("md5sum", "--check", "--quiet", filepath.Join(about, "md5sums"))
	check.Dir = root
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("md5sum: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(root, "usr/share/doc/hierml/copyright"))
	if err != nil || !strings.HasSuffix(string(text), "\n Redistribution\n .\n is permitted.\n") {
		t.Errorf("copyright ends in another way: %v\n%s", err, text)
	}
	kernel, err := os.ReadFile(filepath.Join(root, "usr/share/jupyter/kernels/hierml/kernel.json"))
	if err != nil || !strings.Contains(string(kernel), `"/usr/bin/hierml"`) {
		t.Errorf("%v\n%s", err, kernel)
	}
}

// The bill names what the program says of itself: of this one, Go's standard library.
func TestBill(t *testing.T) {
	p := parts(t)
	a, err := p.Bill()
	if err != nil || a.Name != "hierml-1.2.3-linux-amd64.cdx.json" {
		t.Fatalf("%s, %v", a.Name, err)
	}
	var got struct {
		BomFormat, SpecVersion string
		Components             []struct{ Name, Version, Purl string }
		Metadata               struct {
			Timestamp string
			Component struct{ Version string }
		}
	}
	if err := json.Unmarshal(a.Content, &got); err != nil {
		t.Fatal(err)
	}
	if got.BomFormat != "CycloneDX" || got.SpecVersion != "1.6" || got.Metadata.Timestamp != "2026-01-02T03:04:05Z" || got.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("got %+v", got)
	}
	if len(got.Components) != 1 || got.Components[0].Name != "std" || !strings.HasPrefix(got.Components[0].Purl, "pkg:golang/std@1.") {
		t.Errorf("components are %+v", got.Components)
	}
	if got, want := address("git.sr.ht/~sbinet/gg", "v0.7.0+incompatible"), "pkg:golang/git.sr.ht/~sbinet/gg@v0.7.0+incompatible"; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
}

func TestNotes(t *testing.T) {
	const changes = "# Changes\n\n## Unreleased\n\nnew\n\n### Changed\n\nmore\n\n## 1.2.3\n\nold\n"
	for version, want := range map[string]string{
		"v1.2.3":                               "\n\nold\n",
		"v1.2.4-0.20260102030405-012345678901": "\n\nnew\n\n### Changed\n\nmore\n",
	} {
		v := parts(t).Version
		v.Go = version
		a, err := Notes(changes, v)
		if err != nil || !strings.HasPrefix(string(a.Content), "# hierml "+version) || !strings.HasSuffix(string(a.Content), want) {
			t.Errorf("%s: %v\n%s", version, err, a.Content)
		}
	}
	v := parts(t).Version
	v.Go = "v9.0.0"
	if _, err := Notes(changes, v); err == nil {
		t.Error("a version without changes has notes")
	}
}

func TestSums(t *testing.T) {
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got, want := string(Sums([]Artifact{{Name: "b"}, {Name: "a"}}).Content), empty+"  a\n"+empty+"  b\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
