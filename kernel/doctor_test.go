package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// An installation is what the doctor looks at in a test.
type installation struct {
	t                    *testing.T
	jupyter, bin, cache  string // folders
	state, data, widgets string
}

func (in *installation) file(path, content string, mode os.FileMode) string {
	in.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		in.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		in.t.Fatal(err)
	}
	return path
}

// kernel registers a kernel of that name, which starts a program.
func (in *installation) kernel(name, program string) {
	in.file(filepath.Join(in.jupyter, "kernels", name, "kernel.json"), fmt.Sprintf(`{"argv": [%q, "kernel", "{connection_file}"], "display_name": "Go (%s)"}`, program, name), 0o644)
}

// script puts a command on PATH.
func (in *installation) script(name, lines string) string {
	return in.file(filepath.Join(in.bin, name), "#!/bin/sh\n"+lines+"\n", 0o755)
}

// TestDoctor shows broken installations to the doctor.
func TestDoctor(t *testing.T) {
	const core = "echo 'Selected Jupyter core packages...'\necho 'jupyterlab       : 4.5.1'"
	const lab = "if [ \"$1\" = lab ]; then\n\techo 4.5.1\n\texit\nfi\n" + core
	inPlan := " and --no-browser"
	if os.Geteuid() == 0 {
		inPlan += " and --allow-root"
	}
	good := func(in *installation) {
		in.kernel("hierml", binary)
		in.script("jupyter", lab)
		in.file(in.widgets, `{"version": "5.0.16"}`, 0o644)
	}
	for _, c := range []struct {
		name   string
		break_ func(in *installation)
		want   []string // lines, or how they begin
	}{
		{"nothing broken", func(*installation) {}, []string{
			"ok     This is hierml ",
			"hint   The command hierml is not on PATH; add the folder " + filepath.Dir(binary) + ".\n",
			"wrong  Compiled cells need Go, which is not on PATH; install Go from go.dev/dl.\n",
			"ok     The process that runs cells starts and interprets a cell.\n",
			"ok     Jupyter is BIN/jupyter, with JupyterLab 4.5.1.\n",
			"wrong  `hierml lab` would not start: this program was installed without the course. ",
			"ok     JupyterLab draws widgets, with @jupyter-widgets/jupyterlab-manager 5.0.16.\n",
			"ok     Jupyter's kernel \"Go (hierml)\", in JUPYTER/kernels/hierml, starts this program.\n",
			"ok     HIERML_DATA names no folder of data sets; ",
			"ok     The cache of compiled packages and downloaded data sets will be in CACHE/hierml, which does not exist yet.\n",
			"ok     The history will be in STATE/hierml, which does not exist yet.\n",
			"ok     Cells may use ",
			"ok     The output is not a terminal, so it has no colours.\n",
			"wrong  Cells cannot be compiled: ",
		}},
		{"no kernel", func(in *installation) { in.remove(in.jupyter) }, []string{"wrong  No kernel of Jupyter starts this program; run `go run ./install`"}},
		{"damaged kernel.json", func(in *installation) {
			in.file(filepath.Join(in.jupyter, "kernels", "hierml", "kernel.json"), `{"argv": [`, 0o644)
		}, []string{"wrong  JUPYTER/kernels/hierml/kernel.json is damaged: unexpected end of JSON input; run `go run ./install`", "wrong  No kernel"}},
		{"kernel.json that starts nothing", func(in *installation) {
			in.file(filepath.Join(in.jupyter, "kernels", "hierml", "kernel.json"), `{"argv": []}`, 0o644)
		}, []string{"wrong  JUPYTER/kernels/hierml/kernel.json is damaged: it names no program to start; run"}},
		{"kernel.json of all", func(in *installation) {
			in.open(filepath.Join(in.jupyter, "kernels", "hierml", "kernel.json"))
		}, []string{"wrong  The kernel file JUPYTER/kernels/hierml/kernel.json is unsafe: other users can write to JUPYTER/kernels/hierml/kernel.json; run `chmod go-w JUPYTER/kernels/hierml/kernel.json`.\n"}},
		{"missing program", func(in *installation) { in.kernel("hierml", "/no/such/hierml") }, []string{
			"wrong  Jupyter's kernel \"Go (hierml)\", in JUPYTER/kernels/hierml, starts a program that does not exist, /no/such/hierml; run `go run", "wrong  No kernel"}},
		{"program that cannot be executed", func(in *installation) {
			in.kernel("hierml", in.file(filepath.Join(in.bin, "hierml-old"), "", 0o644))
		}, []string{"wrong  Jupyter's kernel \"Go (hierml)\", in JUPYTER/kernels/hierml, starts a file that cannot be executed; `chmod +x BIN/hierml-old`, or run"}},
		{"program that does not work", func(in *installation) { in.kernel("hierml", in.script("hierml-old", "exit 3")) }, []string{
			"wrong  Jupyter's kernel \"Go (hierml)\", in JUPYTER/kernels/hierml, starts a program that is not hierml, or does not work, BIN/hierml-old; run"}},
		{"another version beside it", func(in *installation) {
			in.kernel("hierml-old", in.script("hierml-old", "echo hierml v0.0.1 go1.20 linux/amd64"))
		}, []string{"ok     Jupyter's kernel \"Go (hierml)\", in", "hint   Jupyter's kernel \"Go (hierml-old)\", in JUPYTER/kernels/hierml-old, starts another hierml, BIN/hierml-old, v0.0.1 go1.20 linux/amd64; if that is wrong, run"}},
		{"one that pip installed", func(in *installation) {
			in.script("hierml-pip", "echo hierml v0.0.1 go1.20 linux/amd64")
			in.kernel("hierml-pip", "{resource_dir}/../../../bin/hierml-pip")
		}, []string{"ok     Jupyter's kernel \"Go (hierml)\", in", "hint   Jupyter's kernel \"Go (hierml-pip)\", in JUPYTER/kernels/hierml-pip, starts another hierml, BIN/hierml-pip, v0.0.1 "}},
		{"another kernel", func(in *installation) {
			in.file(filepath.Join(in.jupyter, "kernels", "python3", "kernel.json"), `{"argv": ["python", "-m", "ipykernel"]}`, 0o644)
			in.file(filepath.Join(in.jupyter, "kernels", "other", "kernel.json"), `{`, 0o644)
		}, []string{"ok     Jupyter's kernel \"Go (hierml)\", in"}},
		{"another program on PATH", func(in *installation) { in.script("hierml", "exit 0") }, []string{"hint   The command hierml on PATH is another program, BIN/hierml; remove it, or put "}},
		{"no Jupyter", func(in *installation) { in.remove(filepath.Join(in.bin, "jupyter")) }, []string{
			"hint   `hierml lab` would not start: there is no command jupyter on PATH or beside hierml; run `go run ./install`", "hint   There is no command jupyter on PATH; run `go run ./install`, which provides it, or "}},
		{"broken Jupyter", func(in *installation) {
			in.script("jupyter", "echo Traceback >&2\necho 'ModuleNotFoundError: jupyter_core' >&2\nexit 1")
		}, []string{"wrong  Jupyter does not start: BIN/jupyter --version: exit status 1 ModuleNotFoundError: jupyter_core; install it again with `pip install --force-reinstall jupyterlab`.\n"}},
		{"no JupyterLab", func(in *installation) { in.script("jupyter", "echo 'jupyterlab : not installed'") }, []string{"hint   Jupyter, BIN/jupyter, has no JupyterLab; run `pip install jupyterlab` in the same environment.\n"}},
		{"a course", func(in *installation) { in.course() }, []string{"ok     `hierml lab` can start JupyterLab 4.5.1, with BIN/jupyter" + inPlan + ".\n"}},
		{"JupyterLab that does not start", func(in *installation) {
			in.course()
			in.script("jupyter", "if [ \"$1\" = lab ]; then\n\techo Traceback >&2\n\techo 'ImportError: jupyter_server' >&2\n\texit 1\nfi\n"+core)
		}, []string{"ok     Jupyter is BIN/jupyter", "wrong  `hierml lab` would not start: BIN/jupyter lab --version: exit status 1 ImportError: jupyter_server; run `pip install --force-reinstall jupyterlab` in the same environment.\n"}},
		{"no widgets", func(in *installation) { in.remove(in.widgets) }, []string{"hint   JupyterLab cannot draw widgets, such as the sliders of nb.Interact; run `pip install jupyterlab_widgets` in the environment of BIN/jupyter.\n"}},
		{"papermill alone", func(in *installation) { in.script("papermill", ""); in.script("python", "exit 1") }, []string{
			"hint   Papermill, BIN/papermill, cannot set parameters of Go notebooks: its Python does not find the package hierml (exit status 1); run `BIN/python -m pip install ./python` in your clone of hierml.\n"}},
		{"papermill", func(in *installation) {
			in.file(filepath.Join(in.bin, "papermill"), "#!"+in.script("python3", "test \"$*\" = '-c import hierml._papermill'")+"\n", 0o755)
		}, []string{"ok     Papermill, BIN/papermill, can set parameters of Go notebooks.\n"}},
		{"cache that is a file", func(in *installation) { in.file(filepath.Join(in.cache, "hierml"), "x", 0o644) }, []string{
			"wrong  The cache of compiled packages and downloaded data sets cannot be kept in CACHE/hierml: CACHE/hierml is not a folder; run `chmod -R u+rwX` on that folder, or set XDG_CACHE_HOME to another.\n"}},
		{"unwritable cache", func(in *installation) { in.lock("XDG_CACHE_HOME", &in.cache) }, []string{"wrong  The cache of compiled packages and downloaded data sets cannot be kept in CACHE/hierml: "}},
		{"unwritable history", func(in *installation) { in.lock("XDG_STATE_HOME", &in.state) }, []string{"hint   The history cannot be kept in STATE/hierml: "}},
		{"used cache", func(in *installation) {
			in.file(filepath.Join(in.cache, "hierml", "data", "x"), strings.Repeat("x", 1536), 0o644)
		}, []string{
			"ok     The cache of compiled packages and downloaded data sets is in CACHE/hierml and has 1.5 KiB.\n"}},
		{"Slurm", func(in *installation) { in.script("sbatch", "test \"$*\" = '--test-only --wrap=true'") }, []string{
			"ok     Sbatch accepts jobs; run a study on the cluster with hierml study run FILE.json --on slurm.\n"}},
		{"Slurm that refuses", func(in *installation) {
			in.script("sbatch", "echo 'sbatch: error: No partition specified or system default partition' >&2\nexit 1")
			in.t.Setenv("HIERML_DATA", in.data)
		}, []string{
			"hint   Sbatch refuses a job without options: error: No partition specified or system default partition; pass the options that it needs, such as --sbatch --partition=NAME.\n"}},
		{"data", func(in *installation) {
			in.file(filepath.Join(in.data, "a", "x"), "", 0o644)
			in.t.Setenv("HIERML_DATA", strings.Join([]string{filepath.Join(in.data, "a"), filepath.Join(in.data, "b"), filepath.Join(in.data, "a", "x")}, string(os.PathListSeparator)))
		}, []string{
			"ok     HIERML_DATA names the folder DATA/a, with 1 file.\n",
			"wrong  HIERML_DATA names a folder that does not exist, DATA/b; create it, or remove it from HIERML_DATA.\n",
			"wrong  HIERML_DATA names a folder that cannot be read: ",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			in := &installation{t: t}
			for name, folder := range map[string]*string{"jupyter": &in.jupyter, "bin": &in.bin, "cache": &in.cache, "state": &in.state, "data": &in.data} {
				*folder = filepath.Join(dir, name)
				if err := os.Mkdir(*folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			in.widgets = filepath.Join(in.jupyter, "labextensions", "@jupyter-widgets", "jupyterlab-manager", "package.json")
			// Without a tool chain nothing is compiled for the test.
			for name, value := range map[string]string{
				"PATH": in.bin, "JUPYTER_DATA_DIR": in.jupyter, "JUPYTER_PATH": "", "HIERML_DATA": "",
				"XDG_CACHE_HOME": in.cache, "XDG_STATE_HOME": in.state, "XDG_DATA_HOME": filepath.Join(dir, "none"),
				"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": "",
			} {
				t.Setenv(name, value)
			}
			good(in)
			c.break_(in)
			got := hierml(t, dir, "", "doctor")
			said := strings.NewReplacer(in.jupyter, "JUPYTER", in.bin, "BIN", in.cache, "CACHE", in.state, "STATE", in.data, "DATA").Replace(got.stdout)
			for _, want := range c.want {
				if !strings.Contains("\n"+said, "\n"+want) {
					t.Errorf("it does not say %q", want)
				}
			}
			lines, wrong := strings.Count(said, "\n"), strings.Count("\n"+said, "\nwrong")
			if ends := fmt.Sprintf("hierml: %d of %d checks failed\n", wrong, lines); got.status != 1 || got.stderr != ends {
				t.Errorf("status %d, %q, want %q", got.status, got.stderr, ends)
			}
			if left, err := filepath.Glob(filepath.Join(in.cache, ".hierml-doctor*")); err != nil || left != nil {
				t.Errorf("it left %q, %v", left, err)
			}
			if t.Failed() {
				t.Logf("it says\n%s", said)
			}
		})
	}
}

// course puts the course where the installation for one user does.
func (in *installation) course() {
	course(in.t, filepath.Join(os.Getenv("XDG_DATA_HOME"), "hierml", "course.tar.gz"), "00-course.ipynb", "")
}

func (in *installation) remove(path string) {
	if err := os.RemoveAll(path); err != nil {
		in.t.Fatal(err)
	}
}

// open has all write to a file.
func (in *installation) open(path string) {
	if runtime.GOOS != "linux" {
		in.t.Skip("nothing is said of that here")
	}
	if err := os.Chmod(path, 0o666); err != nil {
		in.t.Fatal(err)
	}
}

// lock makes a folder one that cannot be written to. For root that is only one of the system's own.
func (in *installation) lock(variable string, dir *string) {
	in.t.Helper()
	if os.Geteuid() != 0 {
		if err := os.Chmod(*dir, 0o555); err != nil {
			in.t.Fatal(err)
		}
		return
	}
	*dir = "/proc"
	if _, err := os.Stat(*dir); err != nil {
		in.t.Skip("root may write everywhere here")
	}
	in.t.Setenv(variable, *dir)
}
