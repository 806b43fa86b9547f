package kernelspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func spec(t *testing.T) Spec {
	return Spec{Name: DefaultName, DisplayName: DefaultDisplayName, Program: filepath.Join(t.TempDir(), "a b", "hierml")}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWrite(t *testing.T) {
	dir, s := t.TempDir(), spec(t)
	for range 2 { // the second time repairs and adds nothing
		if err := s.Write(dir); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	content, err := os.ReadFile(filepath.Join(dir, "kernel.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	wantJSON := map[string]any{
		"argv":                    []any{s.Program, "kernel", "{connection_file}"},
		"display_name":            "Go (hierml)",
		"language":                "go",
		"interrupt_mode":          "message",
		"kernel_protocol_version": "5.5",
		"metadata":                map[string]any{"debugger": true},
	}
	if !reflect.DeepEqual(got, wantJSON) {
		t.Errorf("kernel.json:\n%s\nwant %v", content, wantJSON)
	}
	program, err := Program(dir)
	if err != nil || program != s.Program {
		t.Errorf("Program = %q, %v, want %q", program, err, s.Program)
	}
}

func TestLogosHaveTheSizeTheyAreNamedBy(t *testing.T) {
	for name, size := range map[string]int{"logo-32x32.png": 32, "logo-64x64.png": 64} {
		content, err := logos.ReadFile("logo/" + name)
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if config.Width != size || config.Height != size {
			t.Errorf("%s is %d by %d", name, config.Width, config.Height)
		}
	}
}

func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hierml")
	if err := Remove(dir); err != nil {
		t.Errorf("Remove of a folder that is not there: %v", err)
	}
	for _, extra := range []string{"", "mine.txt"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := spec(t).Write(dir); err != nil {
			t.Fatal(err)
		}
		if extra != "" {
			if err := os.WriteFile(filepath.Join(dir, extra), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := Remove(dir); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(dir)
		switch {
		case extra == "" && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("the folder is still there: %v", err)
		case extra != "" && !slices.Equal(names(t, dir), []string{extra}):
			t.Errorf("left %q, want only %q", names(t, dir), extra)
		}
	}
}

func TestForeignKernelIsLeftAlone(t *testing.T) {
	for _, content := range []string{`{"argv": ["python3", "-m", "ipykernel_launcher"]}`, `{"argv": []}`, `{`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "kernel.json")
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		var foreign *ForeignError
		if err := spec(t).Write(dir); !errors.As(err, &foreign) || foreign.Path != path {
			t.Errorf("Write over %s: %v, want a *ForeignError", content, err)
		}
		if err := Remove(dir); !errors.As(err, &foreign) {
			t.Errorf("Remove of %s: %v, want a *ForeignError", content, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("kernel.json is now %q, %v", got, err)
		}
	}
}

func TestCheck(t *testing.T) {
	good := spec(t)
	if err := good.Check(); err != nil {
		t.Errorf("Check of %+v: %v", good, err)
	}
	for _, bad := range []Spec{
		{Name: "go kernel", DisplayName: "Go", Program: good.Program},
		{Name: "../up", DisplayName: "Go", Program: good.Program},
		{Name: "..", DisplayName: "Go", Program: good.Program},
		{Name: "", DisplayName: "Go", Program: good.Program},
		{Name: "go", DisplayName: " ", Program: good.Program},
		{Name: "go", DisplayName: "Go", Program: "hierml"},
	} {
		if err := bad.Check(); err == nil {
			t.Errorf("Check of %+v: no error", bad)
		}
	}
}
