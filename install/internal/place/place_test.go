package place

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/adrg/xdg"
)

func TestPrefixIsAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	got, err := Prefix("env")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("env")
	if err != nil {
		t.Fatal(err)
	}
	want := Places{
		Root:    root,
		Bin:     filepath.Join(root, "bin"),
		Jupyter: filepath.Join(root, "share", "jupyter"),
		Man:     filepath.Join(root, "share", "man", "man1"),
		Data:    filepath.Join(root, "share", "hierml"),
	}
	if got != want {
		t.Errorf("Prefix(%q) = %+v, want %+v", "env", got, want)
	}
}

func TestUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names the folders of Linux; the other systems' Jupyter folders are in TestJupyterData")
	}
	// Registered before Setenv, so that it runs after the variables are back.
	t.Cleanup(xdg.Reload)
	t.Setenv("HOME", "/home/ada")
	for _, name := range []string{"XDG_DATA_HOME", "XDG_BIN_HOME", "JUPYTER_DATA_DIR"} {
		t.Setenv(name, "")
	}
	xdg.Reload()
	tests := []struct {
		gobin string
		want  Places
	}{
		{"", Places{"/home/ada", "/home/ada/.local/bin", "/home/ada/.local/share/jupyter", "/home/ada/.local/share/man/man1", "/home/ada/.local/share/hierml"}},
		{"/opt/go/bin", Places{"/home/ada", "/opt/go/bin", "/home/ada/.local/share/jupyter", "/home/ada/.local/share/man/man1", "/home/ada/.local/share/hierml"}},
	}
	for _, test := range tests {
		got, err := User(test.gobin)
		if err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("User(%q) = %+v, want %+v", test.gobin, got, test.want)
		}
	}
}

func TestJupyterData(t *testing.T) {
	tests := []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"linux", "linux", nil, "home/.local/share/jupyter"},
		{"linux with XDG", "linux", map[string]string{"XDG_DATA_HOME": "data"}, "data/jupyter"},
		{"macOS", "darwin", map[string]string{"XDG_DATA_HOME": "data"}, "home/Library/Jupyter"},
		{"Windows", "windows", map[string]string{"APPDATA": "roaming"}, "roaming/jupyter"},
		{"Windows without APPDATA", "windows", nil, "home/.jupyter/data"},
		{"Windows with a configuration folder", "windows", map[string]string{"JUPYTER_CONFIG_DIR": "conf"}, "conf/data"},
		{"set by the user", "darwin", map[string]string{"JUPYTER_DATA_DIR": "mine"}, "mine"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := jupyterData(test.goos, "home", func(name string) string { return test.env[name] })
			if want := filepath.FromSlash(test.want); got != want {
				t.Errorf("jupyterData = %q, want %q", got, want)
			}
		})
	}
}
