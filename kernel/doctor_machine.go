package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/kernel/internal/history"
	"github.com/hierml/notebook/kernel/internal/worker"
)

// examineData looks at the folders of data sets.
func examineData(context.Context) []finding {
	const list = "`hierml data list` lists data sets to download"
	dirs := filepath.SplitList(os.Getenv(collection.Environment))
	if len(dirs) == 0 {
		return one(ok("%s names no folder of data sets; %s", collection.Environment, list))
	}
	var findings []finding
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		switch {
		case dir == "":
			findings = append(findings, hint("%s contains an empty name; remove one of its separators", collection.Environment))
		case errors.Is(err, fs.ErrNotExist):
			findings = append(findings, wrong("%s names a folder that does not exist, %s; create it, or remove it from %[1]s", collection.Environment, dir))
		case errors.Is(err, fs.ErrPermission):
			findings = append(findings, wrong("%s names a folder that you may not read, %s; run `chmod u+rx %[2]s`, or remove it from %[1]s", collection.Environment, dir))
		case err != nil:
			findings = append(findings, wrong("%s names a folder that cannot be read: %v; remove it from %[1]s", collection.Environment, err))
		case len(entries) == 0:
			findings = append(findings, hint("%s names an empty folder, %s; %s", collection.Environment, dir, list))
		default:
			findings = append(findings, ok("%s names the folder %s, with %s", collection.Environment, dir, plural(len(entries), "file", "files")))
		}
	}
	return findings
}

// examineFolders looks at the folders that hierml writes to.
func examineFolders(ctx context.Context) []finding {
	var findings []finding
	if cache, err := os.UserCacheDir(); err != nil {
		findings = append(findings, wrong("there is no folder for caches: %v; set XDG_CACHE_HOME to one", err))
	} else {
		findings = append(findings, examineFolder(ctx, "the cache of compiled packages and downloaded data sets", filepath.Join(cache, "hierml"), wrong, "XDG_CACHE_HOME"))
	}
	if path := history.DefaultPath(); path == "" {
		findings = append(findings, hint("there is no folder for the history; set XDG_STATE_HOME to one"))
	} else {
		findings = append(findings, examineFolder(ctx, "the history", filepath.Dir(path), hint, "XDG_STATE_HOME"))
	}
	if err := writable(os.TempDir()); err != nil {
		findings = append(findings, wrong("the folder for temporary files is not writable: %v; set TMPDIR to another", err))
	}
	return findings
}

// examineFolder looks whether a folder, or where it is to be made, can be written to, and how large
// it is. What is said if not is bad.
func examineFolder(ctx context.Context, what, dir string, bad func(string, ...any) finding, variable string) finding {
	if err := writable(dir); err != nil {
		return bad("%s cannot be kept in %s: %v; run `chmod -R u+rwX` on that folder, or set %s to another", what, dir, err, variable)
	}
	size, err := folderSize(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ok("%s will be in %s, which does not exist yet", what, dir)
	case err != nil:
		return bad("%s in %s cannot be read: %v; run `chmod -R u+rwX` on that folder", what, dir, err)
	}
	return ok("%s is in %s and has %s", what, dir, bytesText(size))
}

// writable returns an error if no file can be made in the folder, or, while it is not there, in the
// nearest one above it.
func writable(dir string) error {
	for {
		info, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
			dir = filepath.Dir(dir)
			continue
		}
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is not a folder", dir)
		}
		break
	}
	f, err := os.CreateTemp(dir, ".hierml-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// folderSize is what the files in a folder take.
func folderSize(ctx context.Context, dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() { // a file that has just gone has no size
			size += info.Size()
		}
		return nil
	})
	return size, err
}

func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	if i == 0 || x >= 100 {
		return fmt.Sprintf("%.0f %s", x, units[i])
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// examineMemory tells what cells may use.
func examineMemory(context.Context) []finding {
	const change = `to change that, add "--memory", "8GiB" after "kernel" in kernel.json`
	switch most := worker.DefaultMemory(); {
	case most == 0:
		return one(hint("the memory of cells is unlimited; %s", change))
	case most < 2<<30:
		return one(hint("cells may use only %s of memory, 80 %% of the memory available; %s", bytesText(most), change))
	default:
		return one(ok("cells may use %s of memory, 80 %% of the memory available; %s", bytesText(most), change))
	}
}

// examineTerminal tells what the terminal can do.
func examineTerminal(context.Context) []finding {
	if !isTerminal(os.Stdout) {
		return one(ok("the output is not a terminal, so it has no colours"))
	}
	name := os.Getenv("TERM")
	if name == "" || name == "dumb" {
		return one(hint("TERM is %q, which stands for a terminal without features; set it to the name of your terminal, such as xterm-256color", name))
	}
	if locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")); !strings.Contains(strings.ReplaceAll(strings.ToLower(locale), "-", ""), "utf8") {
		return one(hint("the locale %q does not use UTF-8, which arrows and bars need; set LANG, for example to C.UTF-8", locale))
	}
	colours := "with colours"
	if os.Getenv("NO_COLOR") != "" {
		colours = "without colours, as NO_COLOR asks"
	}
	width, height, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return one(ok("the terminal is %s, %s", name, colours))
	}
	return one(ok("the terminal is %s, %d columns by %d lines, %s", name, width, height, colours))
}
