package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// summary says in at most ten lines what was done, where it is and how to open it.
func (o *outcome) summary() string {
	var b strings.Builder
	fmt.Fprintln(&b)
	fmt.Fprintf(&b, "program  %s%s\n", o.spec.Program, offPath(o.places.Bin))
	fmt.Fprintf(&b, "kernel   %q as %s, in %s\n", o.spec.DisplayName, o.spec.Name, o.kernelDir)
	if o.jupyter != nil {
		fmt.Fprintf(&b, "Jupyter  JupyterLab %s of %s\n", o.jupyter.Packages["jupyterlab"], o.jupyter.Path)
	} else {
		fmt.Fprintf(&b, "Jupyter  not used, %s\n", firstLine(o.withoutJupyter))
	}
	fmt.Fprintf(&b, "help     hierml help; hierml lab, for the whole course; hierml doctor; hierml completion --help, for the Tab key in your shell\n")
	ran := "ran"
	if o.tourKept {
		ran = "kept from its last run"
	}
	fmt.Fprintf(&b, "tour     %s, by %s: %s\n", ran, o.tour.Runner, o.tour.Notebook.Path)
	fmt.Fprintf(&b, "         as a page: %s\n", o.tour.HTML.Path)
	if o.jupyter != nil {
		fmt.Fprintf(&b, "\nOpen it: %s\n", shellCommand(runtime.GOOS, o.searchPath, labCommand(o.jupyter.Path), o.tour.Notebook.Path))
	} else {
		fmt.Fprintf(&b, "\nWith Python 3.10 or newer on PATH, `go run ./install` adds JupyterLab to open it with.\n")
	}
	return b.String()
}

// offPath says so if dir is not among the folders of PATH.
func offPath(dir string) string {
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if sameFolder(d, dir) {
			return ""
		}
	}
	return " (that folder is not on PATH)"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// labCommand returns the words that start JupyterLab with the Python at path.
func labCommand(path string) []string {
	for _, name := range []string{"jupyter", "jupyter.exe"} {
		jupyter := filepath.Join(filepath.Dir(path), name)
		if info, err := os.Stat(jupyter); err == nil && info.Mode().IsRegular() {
			return []string{jupyter, "lab"}
		}
	}
	return []string{path, "-m", "jupyterlab"}
}

// shellCommand writes a command as one types it: for sh, or for PowerShell on Windows. An empty
// searchPath sets no variable.
func shellCommand(goos, searchPath string, command []string, file string) string {
	var words []string
	if goos == "windows" {
		if searchPath != "" {
			words = append(words, "$env:JUPYTER_PATH="+quote(goos, searchPath)+";")
		}
		words = append(words, "&")
	} else if searchPath != "" {
		words = append(words, "JUPYTER_PATH="+quote(goos, searchPath))
	}
	for _, word := range append(command, file) {
		words = append(words, quote(goos, word))
	}
	return strings.Join(words, " ")
}

func quote(goos, word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(`/._-:=+,@`, r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	if goos == "windows" {
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
