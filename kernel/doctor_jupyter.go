package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"github.com/hierml/notebook/internal/beside"
	"github.com/hierml/notebook/internal/toolchain"
)

// mendKernel is what writes a kernel of Jupyter anew.
const mendKernel = "run `go run ./install` in your clone of hierml, or `pip install --force-reinstall hierml`"

// examineJupyter looks for Jupyter, and for what draws widgets in it.
func examineJupyter(ctx context.Context) []finding {
	const without = "`hierml run` and `hierml notebook` work without it"
	command := jupyterCommand()
	if command == "" {
		return one(hint("there is no command jupyter on PATH; run `go run ./install`, which provides it, or `pip install jupyterlab`; %s", without))
	}
	out, err := ask(ctx, command, "--version")
	if silent := (*silence)(nil); errors.As(err, &silent) {
		return one(silent.finding())
	} else if err != nil {
		return one(wrong("Jupyter does not start: %s --version: %v %s; install it again with `pip install --force-reinstall jupyterlab`", command, err, out.last()))
	}
	versions := map[string]string{}
	for line := range strings.Lines(out.stdout) {
		if name, version, found := strings.Cut(line, ":"); found {
			versions[strings.TrimSpace(name)] = strings.TrimSpace(version)
		}
	}
	if lab := versions["jupyterlab"]; lab == "" || lab == "not installed" {
		return one(hint("Jupyter, %s, has no JupyterLab; run `pip install jupyterlab` in the same environment", command))
	}
	findings := one(ok("Jupyter is %s, with JupyterLab %s", command, versions["jupyterlab"]))
	for _, dir := range jupyterFolders(command) {
		var extension struct {
			Version string `json:"version"`
		}
		content, err := os.ReadFile(filepath.Join(dir, "labextensions", "@jupyter-widgets", "jupyterlab-manager", "package.json"))
		if err == nil && json.Unmarshal(content, &extension) == nil {
			return append(findings, ok("JupyterLab draws widgets, with @jupyter-widgets/jupyterlab-manager %s", cmp.Or(extension.Version, "of unknown version")))
		}
	}
	return append(findings, hint("JupyterLab cannot draw widgets, such as the sliders of nb.Interact; run `pip install jupyterlab_widgets` in the environment of %s", command))
}

// examineLab checks whether `hierml lab` would start here, by the same plan.
func examineLab(ctx context.Context) []finding {
	plan, err := planLab(defaultFolder, nil, thisUser())
	switch {
	case errors.Is(err, errNoJupyter):
		return one(hint("`hierml lab` would not start: %v", err))
	case err != nil:
		return one(wrong("`hierml lab` would not start: %v", err))
	}
	out, err := ask(ctx, plan.jupyter, "lab", "--version")
	if silent := (*silence)(nil); errors.As(err, &silent) {
		return one(silent.finding())
	} else if err != nil {
		return one(wrong("`hierml lab` would not start: %s lab --version: %v %s; run `pip install --force-reinstall jupyterlab` in the same environment", plan.jupyter, err, out.last()))
	}
	options := strings.Join(plan.arguments[2:], " and ")
	if options != "" {
		options = " and " + options
	}
	return one(ok("`hierml lab` can start JupyterLab %s, with %s%s", strings.TrimSpace(out.stdout), plan.jupyter, options))
}

// examinePapermill looks whether papermill, where it is, has what sets parameters in Go.
func examinePapermill(ctx context.Context) []finding {
	command, err := exec.LookPath("papermill")
	if err != nil {
		return nil
	}
	python := pythonOf(command)
	_, err = ask(ctx, python[0], append(python[1:], "-c", "import hierml._papermill")...)
	if silent := (*silence)(nil); errors.As(err, &silent) {
		return one(silent.finding())
	} else if err != nil {
		return one(hint("papermill, %s, cannot set parameters of Go notebooks: its Python does not find the package hierml (%v); run `%s -m pip install ./python` in your clone of hierml", command, err, strings.Join(python, " ")))
	}
	return one(ok("papermill, %s, can set parameters of Go notebooks", command))
}

// pythonOf returns how a command in Python is started: as its first line says, or by the Python
// beside.
func pythonOf(command string) []string {
	text, err := os.ReadFile(command)
	line, _, _ := strings.Cut(string(text), "\n")
	if line, is := strings.CutPrefix(line, "#!"); err == nil && is && strings.Contains(line, "python") {
		return strings.Fields(line)
	}
	return []string{filepath.Join(filepath.Dir(command), "python")}
}

// jupyterCommand returns the program jupyter on PATH, or that of the private environment which the
// installation makes, under a prefix or for one user. It is empty if there is none.
func jupyterCommand() string {
	if command, err := exec.LookPath("jupyter"); err == nil {
		return command
	}
	folder := "bin"
	if runtime.GOOS == "windows" {
		folder = "Scripts"
	}
	data := []string{filepath.Join(xdg.DataHome, "hierml")}
	if prefix, err := beside.Prefix(""); err == nil {
		data = append([]string{filepath.Join(prefix, filepath.FromSlash(beside.Folder))}, data...)
	}
	for _, dir := range data {
		if command, err := exec.LookPath(filepath.Join(dir, "python", folder, "jupyter")); err == nil {
			return command
		}
	}
	return ""
}

// A kernel is one that Jupyter knows.
type kernelSpec struct {
	dir     string
	program string
	display string
	damage  error // of kernel.json
}

// examineKernels looks for the kernel of this program where Jupyter does, and for broken kernels of
// other ones.
func examineKernels(ctx context.Context) []finding {
	self, err := os.Executable()
	if err != nil {
		return one(wrong("this program cannot find its own file: %v", err))
	}
	var mine, others []finding
	for _, k := range kernels(self) {
		file := filepath.Join(k.dir, "kernel.json")
		switch info, err := os.Stat(k.program); {
		case k.damage != nil:
			others = append(others, wrong("%s is damaged: %v; %s", file, k.damage, mendKernel))
		case err != nil:
			others = append(others, wrong("Jupyter's kernel %q, in %s, starts a program that does not exist, %s; %s", k.display, k.dir, k.program, mendKernel))
		case info.IsDir() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
			others = append(others, wrong("Jupyter's kernel %q, in %s, starts a file that cannot be executed; `chmod +x %s`, or %s", k.display, k.dir, k.program, mendKernel))
		case sameFile(k.program, self):
			mine = append(mine, ok("Jupyter's kernel %q, in %s, starts this program", k.display, k.dir))
			if err := toolchain.TrustProgram(file); err != nil {
				mine = append(mine, wrong("the kernel file %s is unsafe: %v", file, err))
			}
		default:
			others = append(others, anotherProgram(ctx, k))
		}
	}
	if len(mine) > 0 {
		return append(mine, others...)
	}
	return append(others, wrong("no kernel of Jupyter starts this program; %s", mendKernel))
}

// anotherProgram says of a kernel that it starts another program than this one.
func anotherProgram(ctx context.Context, k kernelSpec) finding {
	out, err := ask(ctx, k.program, "version")
	said := strings.TrimSpace(out.stdout)
	if silent := (*silence)(nil); errors.As(err, &silent) {
		return silent.finding()
	}
	if err != nil || !strings.HasPrefix(said, "hierml ") {
		return wrong("Jupyter's kernel %q, in %s, starts a program that is not hierml, or does not work, %s; %s", k.display, k.dir, k.program, mendKernel)
	}
	if said = strings.TrimPrefix(said, "hierml "); said == version() {
		said = "of the same version"
	}
	return hint("Jupyter's kernel %q, in %s, starts another hierml, %s, %s; if that is wrong, %s", k.display, k.dir, k.program, said, mendKernel)
}

// kernels returns the kernels of hierml that Jupyter knows, and damaged ones that may be.
func kernels(self string) []kernelSpec {
	var found []kernelSpec
	for _, dir := range jupyterFolders(self, jupyterCommand()) {
		// A folder that cannot be read has no kernels for Jupyter either.
		entries, err := os.ReadDir(filepath.Join(dir, "kernels"))
		if err != nil {
			continue
		}
		for _, entry := range entries {
			folder := filepath.Join(dir, "kernels", entry.Name())
			content, err := os.ReadFile(filepath.Join(folder, "kernel.json"))
			if err != nil {
				if !os.IsNotExist(err) && strings.Contains(entry.Name(), "hierml") {
					found = append(found, kernelSpec{dir: folder, damage: err})
				}
				continue
			}
			var file struct {
				Argv    []string `json:"argv"`
				Display string   `json:"display_name"`
			}
			err = json.Unmarshal(content, &file)
			switch {
			case err != nil && (strings.Contains(entry.Name(), "hierml") || bytes.Contains(content, []byte("hierml"))):
				found = append(found, kernelSpec{dir: folder, damage: err})
			case err != nil || len(file.Argv) == 0:
				if err == nil && entry.Name() == "hierml" {
					found = append(found, kernelSpec{dir: folder, damage: errors.New("it names no program to start")})
				}
			case len(file.Argv) > 1 && file.Argv[1] == "kernel" && strings.HasPrefix(filepath.Base(file.Argv[0]), "hierml"):
				// Jupyter puts the folder in the place of these words, which what pip installs has.
				program := filepath.Clean(strings.ReplaceAll(file.Argv[0], "{resource_dir}", folder))
				found = append(found, kernelSpec{dir: folder, program: program, display: cmp.Or(file.Display, entry.Name())})
			}
		}
	}
	return found
}

// jupyterFolders are the folders of data in which Jupyter looks for kernels and extensions, as
// jupyter_core.paths.jupyter_path has them, and those of the installations which some programs
// belong to. Each is there once.
func jupyterFolders(programs ...string) []string {
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	home, _ := os.UserHomeDir() // without one there is nothing to find
	switch user := os.Getenv("JUPYTER_DATA_DIR"); {
	case user != "":
		dirs = append(dirs, user)
	case runtime.GOOS == "darwin":
		dirs = append(dirs, filepath.Join(home, "Library", "Jupyter"))
	default:
		dirs = append(dirs, filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "jupyter"))
	}
	for _, program := range programs {
		if program == "" {
			continue
		}
		dirs = append(dirs, filepath.Join(filepath.Dir(filepath.Dir(program)), "share", "jupyter"))
		if target, err := filepath.EvalSymlinks(program); err == nil {
			dirs = append(dirs, filepath.Join(filepath.Dir(filepath.Dir(target)), "share", "jupyter"))
		}
	}
	dirs = append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
	var unique []string
	for _, dir := range dirs {
		if !slices.Contains(unique, dir) {
			unique = append(unique, dir)
		}
	}
	return unique
}
