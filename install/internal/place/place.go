// Package place says where the installation's files belong: the program, the kernelspec, the tour
// and the private Python environment, for one user or under one prefix, on each operating system.
// It only names folders; making and filling them is left to its callers.
package place

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
)

// Places are absolute folders. They need not exist.
type Places struct {
	// Root is the prefix, or the home of the user, which most of them are below.
	Root string
	// Bin holds the program.
	Bin string
	// Jupyter is a Jupyter data folder: kernelspecs are in Jupyter/kernels.
	Jupyter string
	// Man holds pages of section 1 for the program man, which finds it by the folder of programs.
	Man string
	// Data holds files that belong to hierml alone: the executed tour, the private Python
	// environment and the receipt of the installation.
	Data string
}

// Prefix returns the places under one folder: dir/bin, dir/share/jupyter and dir/share/hierml, as
// in any Unix prefix, Python environments included.
func Prefix(dir string) (Places, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Places{}, err
	}
	return Places{
		Root:    dir,
		Bin:     filepath.Join(dir, "bin"),
		Jupyter: filepath.Join(dir, "share", "jupyter"),
		Man:     filepath.Join(dir, "share", "man", "man1"),
		Data:    filepath.Join(dir, "share", "hierml"),
	}, nil
}

// User returns the places of the user who runs this process. Programs go to gobin, the Go tool's
// own setting, or, if that is empty, to the XDG folder: ~/.local/bin on Linux and macOS. Data goes
// to ~/.local/share/hierml on Linux, ~/Library/Application Support/hierml on macOS and
// %LOCALAPPDATA%\hierml on Windows, or to XDG_DATA_HOME/hierml.
func User(gobin string) (Places, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Places{}, err
	}
	return Places{
		Root:    home,
		Bin:     cmp.Or(gobin, xdg.BinHome),
		Jupyter: jupyterData(runtime.GOOS, home, os.Getenv),
		Man:     filepath.Join(xdg.DataHome, "man", "man1"),
		Data:    filepath.Join(xdg.DataHome, "hierml"),
	}, nil
}

// Cache returns the folder of what can be made again: the Python environment of the tests.
func Cache() string { return filepath.Join(xdg.CacheHome, "hierml") }

// State returns the folder of the program's state: the history.
func State() string { return filepath.Join(xdg.StateHome, "hierml") }

// jupyterData is jupyter_core.paths.jupyter_data_dir: the folder of the user in which Jupyter looks
// for kernelspecs, which is not always the XDG one.
func jupyterData(goos, home string, getenv func(string) string) string {
	if dir := getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	switch goos {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter")
	case "windows":
		if dir := getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, "jupyter")
		}
		return filepath.Join(cmp.Or(getenv("JUPYTER_CONFIG_DIR"), filepath.Join(home, ".jupyter")), "data")
	default:
		return filepath.Join(cmp.Or(getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "jupyter")
	}
}
