package toolchain

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// ownToolchain returns the tool chain that runs the tests.
func ownToolchain(t *testing.T) toolchain {
	t.Helper()
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION").Output()
	if err != nil {
		t.Fatal(err)
	}
	var tc toolchain
	if err := json.Unmarshal(out, &tc); err != nil {
		t.Fatal(err)
	}
	return tc
}

// copySource returns a tool chain with copies of the files that the patches of a tool change.
func copySource(t *testing.T, of tool, from toolchain) toolchain {
	t.Helper()
	all, err := of.patches(from.GOVERSION)
	if err != nil {
		t.Fatal(err)
	}
	to := from
	to.GOROOT = t.TempDir()
	for _, p := range all {
		for _, c := range p.changes {
			file := filepath.Join(to.GOROOT, filepath.FromSlash(c.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.added != "" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(from.GOROOT, filepath.FromSlash(c.file)))
			if err == nil {
				err = os.WriteFile(file, content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}

// adapted returns the texts that adapt makes, by file, and the names of the patches that it leaves
// out.
func adapted(of tool, tc toolchain) (texts map[string]string, without []string, err error) {
	texts, left, err := of.adapt(tc)
	for _, p := range left {
		without = append(without, p.name)
	}
	return texts, without, err
}

// TestPatchesAreDiffs holds that all patches fit this Go, and that git makes of its source the same
// as adapt.
func TestPatchesAreDiffs(t *testing.T) {
	for _, of := range []tool{compiler, linker} {
		tc := copySource(t, of, ownToolchain(t))
		want, without, err := adapted(of, tc)
		if err != nil || len(without) > 0 {
			t.Fatalf("%s: %v, without %q", of.name, err, without)
		}
		all, err := of.patches(tc.GOVERSION)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			git := exec.Command("git", "apply", "--whitespace=nowarn", "-")
			git.Dir = tc.GOROOT
			git.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(tc.GOROOT))
			git.Stdin = strings.NewReader(p.text)
			if out, err := git.CombinedOutput(); err != nil {
				t.Errorf("%s/%s: %v\n%s", of.name, p.name, err, out)
			}
		}
		for file, text := range want {
			got, err := os.ReadFile(filepath.Join(tc.GOROOT, filepath.FromSlash(file)))
			if err != nil || string(got) != text {
				t.Errorf("git makes another %s: %v", file, err)
			}
		}
	}
}

// TestAdapt holds that a patch which does not fit is an error if cells are wrong without it, and is
// left out otherwise, with the patches that need it.
func TestAdapt(t *testing.T) {
	for _, test := range []struct {
		name    string
		of      tool
		file    string // has another text, or is missing if that is empty
		text    string
		without string
		want    string
	}{
		{name: "required", of: compiler, file: "src/cmd/compile/internal/types2/predicates.go", text: "package types2\n",
			want: "cannot be adapted to cells: patch compile/onepackage does not fit src/cmd/compile/internal/types2/predicates.go, in "},
		{name: "for speed", of: compiler, file: "src/cmd/compile/internal/gc/compile.go", text: "package gc\n", without: "host"},
		{name: "file gone", of: compiler, file: "src/cmd/compile/internal/gc/compile.go", without: "host"},
		{name: "needed", of: linker, file: "src/cmd/link/internal/ld/main.go", text: "package ld\n", without: "imports part"},
		{name: "no source", of: linker, file: "src/cmd/link",
			want: "cannot be adapted to cells: it has no source of the linker, in "},
	} {
		tc := copySource(t, test.of, ownToolchain(t))
		file := filepath.Join(tc.GOROOT, filepath.FromSlash(test.file))
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if test.text != "" {
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, without, err := adapted(test.of, tc)
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) || test.want == "" && err != nil {
			t.Errorf("%s: got %v", test.name, err)
		}
		if got := strings.Join(without, " "); got != test.without {
			t.Errorf("%s: without %q", test.name, got)
		}
	}
}

// TestParsePatch holds that a text which is not one complete diff with a header is refused.
func TestParsePatch(t *testing.T) {
	const header, file = "Why.\nRequired: speed\n", "--- a/x\n+++ b/x\n"
	for text, want := range map[string]string{
		header + file + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n":                "",
		header + "Needs: other\n" + file + "@@ -1,1 +1,2 @@\n a\n+c\n": "",
		"Required: speed\n" + file + "@@ -1,1 +1,2 @@\n a\n+c\n":       "the patch is not complete",
		"Why.\n" + file + "@@ -1,1 +1,2 @@\n a\n+c\n":                  "the patch is not complete",
		"Why.\nRequired: fun\n":                                        "line 2 is not part of a unified diff",
		header:                                                         "the patch is not complete",
		header + file + "@@ -1,2 +1,2 @@\n a\n":                        "the patch is not complete",
		header + file + "@@ -1,1 +1,1 @@\n a\n b\n":                    "line 7 is not part of a unified diff",
		header + file + "@@ -1,1 +1,2 @@\n-a\n-b\n+c\n":                "line 7 is not part of a unified diff",
		header + file + "@@ -1 +1 @@\n":                                "line 5 is not part of a unified diff",
		header + file + "@@ -1,1 +1,1 @@\n a\n\\ No new\n":             "line 7 is not part of a unified diff",
	} {
		_, err := parsePatch(text)
		if got := errorText(err); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestHunk holds that a hunk fits where its old lines are, whole and once.
func TestHunk(t *testing.T) {
	h := hunk{" a\n", "-b\n", "+c\n", " d\n"}
	for text, want := range map[string]string{
		"a\nb\nd\n":           "a\nc\nd\n",
		"x\na\nb\nd\ny\n":     "x\na\nc\nd\ny\n",
		"xa\nb\nd\na\nb\nd\n": "xa\nb\nd\na\nc\nd\n",
		"a\nb\nd\na\nb\nd\n":  "",
		"a\nb\nb\nd\n":        "",
		"xa\nb\nd\n":          "",
	} {
		edits, ok := h.edits(text)
		got, err := apply(text, edits)
		if ok != (want != "") || ok && got != want || err != nil {
			t.Errorf("%q: got %q, %v, %v", text, got, ok, err)
		}
	}
	if _, err := apply("a\n", []edit{{0, 2, ""}, {0, 2, ""}}); err == nil {
		t.Error("two removals of one line are no error")
	}
}

// TestMinorOf holds that a version that is no release is later than all.
func TestMinorOf(t *testing.T) {
	for version, want := range map[string]int{"go1.26.8": 26, "go1.27rc2": 27, "go1.27": 27, "devel go1.28-abc": 1<<31 - 1, "": 1<<31 - 1} {
		if got := minorOf(version); got != want {
			t.Errorf("%q: got %d, want %d", version, got, want)
		}
	}
}

// TestOmitOtherMachines holds that the compiler keeps the rules of this machine and those of all
// machines, and that the functions of the others stay.
func TestOmitOtherMachines(t *testing.T) {
	texts := map[string]string{}
	if err := omitOtherMachines(ownToolchain(t).GOROOT, texts); err != nil {
		t.Fatal(err)
	}
	const dir = "src/cmd/compile/internal/ssa/"
	for _, file := range []string{"rewritegeneric.go", "rewritedec64.go", "rewritedivmod.go", "rewrite" + strings.ToUpper(runtime.GOARCH) + ".go"} {
		if texts[dir+file] != "" {
			t.Errorf("%s is empty", file)
		}
	}
	for _, function := range []string{"rewriteValueS390X(v *Value) bool", "rewriteBlockS390X(b *Block) bool"} {
		if text := texts[dir+"rewriteS390X.go"]; strings.Count(text, "func ") != 2 || !strings.Contains(text, "func "+function+" {\n") {
			t.Errorf("no function %s in\n%s", function, text)
		}
	}
}
