package main

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/install/internal/kernelspec"
	"github.com/hierml/notebook/install/internal/python"
	"github.com/hierml/notebook/install/internal/turned"
	"github.com/hierml/notebook/internal/lite"
	"github.com/hierml/notebook/internal/lock"
)

func liteCommand() *cobra.Command {
	var site, wheels string
	cmd := &cobra.Command{
		Use:   "lite [DIR]",
		Short: "Make a site on which notebooks run in the reader's browser",
		Long: `Makes a site from the notebooks and other files of a folder; without DIR, from
the course. Readers need only a browser, and any web server can serve the site.

The first time, it builds the kernel as WebAssembly, which takes some minutes, and
fetches JupyterLite with pip. Both are kept in the user's cache folder.`,
		Example: `  go run ./install lite                   # the course, into the folder site
  go run ./install lite lessons -o public
  go run ./install lite serve public`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, err := moduleRoot()
			if err != nil {
				return err
			}
			notebooks := filepath.Join(root, "notebooks")
			if len(args) > 0 {
				notebooks = args[0]
			}
			return buildSite(cmd.Context(), newConsole(os.Stdout), root, notebooks, site, wheels)
		},
	}
	cmd.Flags().StringVarP(&site, "output", "o", "site", "the `folder` of the site; it must be new or empty")
	cmd.Flags().StringVar(&wheels, "wheels", "", "a `folder` with the wheels of jupyterlite-core and jupyterlab-widgets; without it, pip fetches them")
	cmd.AddCommand(&cobra.Command{
		Use:   "serve DIR",
		Short: "Serve a site on this machine, as a preview",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return lite.Serve(cmd.Context(), args[0], func(address string) { cmd.Println(address, "serves the site; Ctrl-C stops it") })
		},
	})
	return cmd
}

// buildSite makes a site from the notebooks of a folder.
func buildSite(ctx context.Context, c *console, root, notebooks, site, wheels string) error {
	if info, err := os.Stat(notebooks); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is not a folder with notebooks", notebooks)
	}
	parts, err := siteParts(ctx, c, root, wheels)
	if err != nil {
		return err
	}
	step := c.begin("Writing the site")
	summary, err := lite.Build(site, notebooks, parts)
	if err != nil {
		return step.fail(err)
	}
	step.end("%d files, %.1f MB", summary.Files, float64(summary.Bytes)/1e6)
	c.printf("The site is in %s. To look at it, run go run ./install lite serve %s", site, site)
	return nil
}

// siteParts provides the parts of a site, and stores them for the command hierml lite.
func siteParts(ctx context.Context, c *console, root, wheels string) (parts lite.Parts, err error) {
	cache := lite.Folder()
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return parts, err
	}
	held, err := lock.Alone(filepath.Join(cache, "lock"))
	if err != nil {
		return parts, err
	}
	if held == nil {
		return parts, fmt.Errorf("another process is building the parts of sites in %s; wait until it has ended", cache)
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if parts.Logos, err = kernelspec.Logos(); err != nil {
		return parts, err
	}
	goroot, err := goEnv(ctx, root, "GOROOT")
	if err != nil {
		return parts, err
	}
	if parts.Kernel, err = buildPage(ctx, c, root, goroot, cache); err != nil {
		return parts, err
	}
	if parts.Beside, err = besideKernel(ctx, root, goroot, cache); err != nil {
		return parts, err
	}
	parts.Licences = filepath.Join(root, "kernel", "licences.txt")
	parts.Support = filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")
	if wheels == "" {
		wheels = filepath.Join(cache, "wheels")
		if err := fetchWheels(ctx, c, wheels); err != nil {
			return parts, err
		}
	}
	core, coreErr := python.Lite().Wheel(wheels, "jupyterlite-core")
	widgets, widgetsErr := python.Lite().Wheel(wheels, "jupyterlab-widgets")
	parts.Core, parts.Widgets = core, widgets
	if err := errors.Join(coreErr, widgetsErr); err != nil {
		return parts, err
	}
	return parts, parts.Keep(cache)
}

// besideKernel provides the files that the kernel asks for when it needs them, by the names by
// which it does: those of packages stdlib, collection and turned.
func besideKernel(ctx context.Context, root, goroot, cache string) (map[string]string, error) {
	files := map[string]string{}
	for _, of := range []string{"std", "gonum", "hierml"} {
		// The archives of the standard library differ between releases of Go; the program has those
		// of the one that builds it.
		embedded, err := goOutput(ctx, root, "list", "-f", `{{join .EmbedFiles " "}}`, "./stdlib/internal/"+of)
		if err != nil {
			return nil, err
		}
		for _, name := range strings.Fields(embedded) {
			what, _, _ := strings.Cut(strings.TrimSuffix(name, ".zip"), "-")
			files[of+"-"+what+".zip"] = filepath.Join(root, "stdlib", "internal", of, name)
		}
	}
	godoc := filepath.Join(cache, "documentation.gz")
	f, err := os.Create(godoc)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(collection.PackGoDoc(f, goroot), f.Close()); err != nil {
		return nil, err
	}
	files["godoc.jsonl.gz"] = godoc
	fonts, err := turned.Fonts(ctx, root)
	if err != nil {
		return nil, err
	}
	for name, font := range fonts {
		name += ".gz"
		files[name] = filepath.Join(cache, name)
		if err := compress(font, files[name]); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// fetchWheels puts the wheels into a folder, where they are not there.
func fetchWheels(ctx context.Context, c *console, folder string) error {
	lock := python.Lite()
	_, coreErr := lock.Wheel(folder, "jupyterlite-core")
	_, widgetsErr := lock.Wheel(folder, "jupyterlab-widgets")
	if coreErr == nil && widgetsErr == nil {
		return nil
	}
	step := c.begin("Fetching JupyterLite")
	found := python.Find(ctx)
	if len(found) == 0 {
		return step.fail(python.ErrNoPython)
	}
	if err := found[0].Download(ctx, lock, folder); err != nil {
		return step.fail(err)
	}
	step.end("done")
	return nil
}

// withoutInlining are the packages whose calls are not inlined in a page's kernel: those that check
// cells, describe packages and draw. The compressed program is 3 % smaller (11.60 MB instead of
// 11.96), which each first visit sends. Solvers and the interpreter keep their inlined calls.
var withoutInlining = []string{
	"github.com/hierml/notebook/kernel/...", "github.com/hierml/notebook/stdlib/...", "github.com/hierml/notebook/hierml/chart",
	"gonum.org/v1/plot/...", "golang.org/x/tools/...",
}

// buildPage builds the kernel for a page of a browser, and returns the path of the compressed
// program.
func buildPage(ctx context.Context, c *console, root, goroot, cache string) (compressed string, err error) {
	step := c.begin("Building the kernel as WebAssembly")
	defer func() {
		if err != nil {
			err = step.fail(err)
		}
	}()
	flags, err := turned.Write(ctx, root, goroot, filepath.Join(cache, "turned"))
	if err != nil {
		return "", err
	}
	program := filepath.Join(cache, "hierml.wasm")
	b := build{
		root: root, target: "./kernel/page", path: program,
		env:   []string{"GOOS=js", "GOARCH=wasm"},
		flags: append(flags, "-trimpath", "-ldflags", "-s -w"),
	}
	for _, pattern := range withoutInlining {
		b.flags = append(b.flags, "-gcflags", pattern+"=-l")
	}
	packages := 0
	if err := goBuild(ctx, b, func(what string) {
		packages++
		step.progress(packages, 0, what)
	}); err != nil {
		return "", err
	}
	if err := limitMemory(program); err != nil {
		return "", err
	}
	compressed = program + ".xz"
	// The go command writes the program again even if it is the same, and to compress it takes most
	// of a minute.
	sum, err := sumFile(program)
	if err != nil {
		return "", err
	}
	compressedFrom := compressed + ".of"
	of, err := os.ReadFile(compressedFrom)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, err := os.Stat(compressed); err != nil || string(of) != sum {
		step.progress(packages, 0, "compressing it")
		if err := compressProgram(ctx, program, compressed); err != nil {
			return "", err
		}
		if err := os.WriteFile(compressedFrom, []byte(sum), 0o644); err != nil {
			return "", err
		}
	}
	step.end("done")
	return compressed, nil
}

// memoryPages is how much memory a kernel in a browser may have: 2 GiB, in the pages of
// WebAssembly.
const memoryPages = 2 << 30 >> 16

// limitMemory limits the memory of a program of WebAssembly. Go sets no limit, so a cell could take
// 4 GiB, from which a small machine does not recover, before its kernel ends.
func limitMemory(file string) error {
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	limited, err := withLimit(program, memoryPages)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, limited, 0o755)
}

// withLimit returns a program of WebAssembly whose one memory has at most a number of pages.
func withLimit(program []byte, pages uint64) ([]byte, error) {
	const header, memory = 8, 5 // bytes, and the identifier of a section
	for at := header; at < len(program); {
		size, n := binary.Uvarint(program[at+1:])
		begin := at + 1 + n
		if n <= 0 || size > uint64(len(program)-begin) {
			break
		}
		section := program[begin : begin+int(size)]
		if program[at] != memory {
			at = begin + len(section)
			continue
		}
		// One memory, with or without a maximum behind the pages that it begins with.
		if len(section) < 3 || section[0] != 1 || section[1] > 1 {
			break
		}
		least, _ := binary.Uvarint(section[2:])
		limits := binary.AppendUvarint(binary.AppendUvarint([]byte{1, 1}, least), pages)
		sized := binary.AppendUvarint([]byte{memory}, uint64(len(limits)))
		return slices.Concat(program[:at], sized, limits, program[begin+len(section):]), nil
	}
	return nil, errors.New("no memory that can be limited; this Go writes WebAssembly in another way")
}

// compressProgram compresses a file as xz, by the first Python that can.
func compressProgram(ctx context.Context, from, to string) error {
	failed := []error{python.ErrNoPython}
	aside := to + newSuffix
	for _, interpreter := range python.Find(ctx) {
		err := interpreter.Compress(ctx, from, aside)
		if err == nil {
			return os.Rename(aside, to)
		}
		failed = append(failed, fmt.Errorf("%s cannot compress the kernel; it needs the Python module lzma: %w", interpreter.Path, err))
	}
	return errors.Join(failed[min(1, len(failed)-1):]...)
}

// compress writes a file once more, compressed by gzip.
func compress(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	aside := to + newSuffix
	out, err := os.Create(aside)
	if err != nil {
		return err
	}
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	_, err = io.Copy(z, in)
	if err := errors.Join(err, z.Close(), out.Close()); err != nil {
		return err
	}
	return os.Rename(aside, to)
}
