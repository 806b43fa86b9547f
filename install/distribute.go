package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/install/internal/release"
	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/internal/toolchain"
)

// systemsFlag adds the flag that says for which systems something is made.
func systemsFlag(cmd *cobra.Command, systems *[]string, usual ...string) {
	cmd.Flags().StringSliceVar(systems, "system", usual, "the `systems` to build for, as GOOS/GOARCH")
}

func wheelCommand() *cobra.Command {
	var systems []string
	var folder string
	cmd := &cobra.Command{
		Use:   "wheel",
		Short: "Make the wheel from which pip installs hierml",
		Long: `Makes the wheel from which pip installs hierml on machines without a clone and without
Go: the program, the kernel for the environment's Jupyter, and the Python package that
reads models. It is made from the last commit, and the same commit makes the same file.

For Linux on another processor, it needs Debian's C compiler for that processor, such as
aarch64-linux-gnu-gcc. Without it, and on Windows and macOS, the program interprets
cells and cannot compile them.`,
		Example: `  go run ./install wheel -o dist
  go run ./install wheel -o dist --system linux/arm64,windows/amd64,darwin/arm64`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := newConsole(os.Stdout)
			return distribute(cmd.Context(), c, systems, folder, func(s release.Source, p release.Parts) error {
				wheel, err := p.Wheel(s.Dir)
				if err != nil {
					return err
				}
				return writeArtifact(c, folder, wheel)
			})
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "dist", "the `folder` that it is written to")
	systemsFlag(cmd, &systems, runtime.GOOS+"/"+runtime.GOARCH)
	return cmd
}

func releaseCommand() *cobra.Command {
	var systems []string
	var folder string
	cmd := &cobra.Command{
		Use:   "release",
		Short: "Make all files of a release",
		Long: `Makes all files of a release from the last commit. For each system, these are a wheel and
a bill of materials (CycloneDX), and for Linux also an archive to unpack below a prefix
and a Debian package. The licences of everything in the program, the notes from
CHANGELOG.md, and the checksums of all files follow. The same commit makes the same files.`,
		Example: "  go run ./install release -o release",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return makeRelease(cmd.Context(), newConsole(os.Stdout), systems, folder)
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "release", "the `folder` that they are written to")
	systemsFlag(cmd, &systems, "linux/amd64", "linux/arm64", "windows/amd64", "darwin/amd64", "darwin/arm64")
	return cmd
}

// makeRelease writes the files of a release to a folder.
func makeRelease(ctx context.Context, c *console, systems []string, folder string) error {
	var all []release.Artifact
	add := func(a release.Artifact, err error) error {
		if err == nil {
			all = append(all, a)
			err = writeArtifact(c, folder, a)
		}
		return err
	}
	err := distribute(ctx, c, systems, folder, func(s release.Source, p release.Parts) error {
		if len(all) == 0 {
			changes, err := os.ReadFile(filepath.Join(s.Dir, "CHANGELOG.md"))
			if err != nil {
				return err
			}
			if err := errors.Join(add(release.Notes(string(changes), s.Version)), add(release.Artifact{Name: "LICENCES.txt", Content: p.Licences}, nil)); err != nil {
				return err
			}
		}
		if err := errors.Join(add(p.Wheel(s.Dir)), add(p.Bill())); err != nil || p.System.OS != "linux" {
			return err
		}
		licence, err := os.ReadFile(filepath.Join(s.Dir, "LICENSE"))
		if err != nil {
			return err
		}
		return errors.Join(add(p.Archive()), add(p.Debian(licence)))
	})
	if err != nil {
		return err
	}
	return writeArtifact(c, folder, release.Sums(all))
}

// writeArtifact writes a file of a release to a folder.
func writeArtifact(c *console, folder string, a release.Artifact) error {
	if err := writeFile(filepath.Join(folder, a.Name), a.Content); err != nil {
		return err
	}
	c.printf("  %s, %.1f MB", filepath.Join(folder, a.Name), float64(len(a.Content))/1e6)
	return nil
}

// distribute builds the last commit for systems, and calls do with each. The folder is made for
// what do writes.
func distribute(ctx context.Context, c *console, systems []string, folder string, do func(release.Source, release.Parts) error) (err error) {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	temporary.Clear()
	dir, err := temporary.Folder("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temporary.Remove(dir)) }()
	step := c.begin("Checking out the last commit")
	checkout := filepath.Join(dir, "commit")
	if err := os.Mkdir(checkout, 0o755); err != nil {
		return step.fail(err)
	}
	source, err := release.Checkout(ctx, root, checkout)
	if err != nil {
		return step.fail(err)
	}
	step.end("%s, whose sources have %.1f MB", source.Version, float64(len(source.Archive))/1e6)
	documentation, err := godoc(ctx, source.Dir)
	if err != nil {
		return err
	}
	licences, err := os.ReadFile(filepath.Join(source.Dir, "kernel", "licences.txt"))
	if err != nil {
		return err
	}
	manual, err := os.ReadFile(filepath.Join(source.Dir, "kernel", "hierml.1"))
	if err != nil {
		return err
	}
	course, err := release.Course(source.Dir, source.Version.Time)
	if err != nil {
		return err
	}
	for _, name := range systems {
		parts := release.Parts{Version: source.Version, Documentation: documentation, Course: course, Manual: manual, Licences: licences}
		if parts.System, err = findSystem(ctx, name); err != nil {
			return err
		}
		if parts.System.CC != "" {
			parts.Source = source.Archive
		}
		step := c.begin("Building hierml for " + name)
		program := filepath.Join(dir, "hierml-"+parts.System.OS+"-"+parts.System.Arch)
		if parts.Program, err = buildRelease(ctx, source, parts.System, program, step); err != nil {
			return step.fail(err)
		}
		if parts.Source != nil {
			step.progress(0, 0, "the sources for compiling cells")
			id, err := toolchain.SourceID(ctx, program, source.Dir, source.Environment(parts.System)...)
			if err != nil {
				return step.fail(err)
			}
			parts.SourceID = []byte(id)
		}
		step.end("%.1f MB", float64(len(parts.Program))/1e6)
		if parts.System.OS == "linux" && parts.System.CC == "" {
			c.printf("  there is no C compiler for this system, so its cells are interpreted")
		}
		if err := do(source, parts); err != nil {
			return err
		}
	}
	return nil
}

// godoc returns the documentation of the Go that builds in a folder.
func godoc(ctx context.Context, dir string) ([]byte, error) {
	goroot, err := goEnv(ctx, dir, "GOROOT")
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	err = collection.PackGoDoc(&packed, goroot)
	return packed.Bytes(), err
}

// compilers are the C compilers of Debian for the processors of other machines.
var compilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc"}

// findSystem returns the system of a name GOOS/GOARCH, with the C compiler for it if there is one
// and cells are compiled there.
func findSystem(ctx context.Context, name string) (release.System, error) {
	goos, arch, found := strings.Cut(name, "/")
	system := release.System{OS: goos, Arch: arch}
	if !found {
		return system, fmt.Errorf("the system %q has no processor; write it as linux/amd64", name)
	}
	if goos != "linux" {
		return system, nil
	}
	cc := compilers[arch]
	if goos == runtime.GOOS && arch == runtime.GOARCH {
		var err error
		if cc, err = goEnv(ctx, "", "CC"); err != nil {
			return system, err
		}
	}
	command, _, _ := strings.Cut(cc, " ")
	if _, err := exec.LookPath(command); err == nil {
		system.CC = cc
	}
	return system, nil
}

// buildRelease builds the program of a source for a system, and returns it.
func buildRelease(ctx context.Context, s release.Source, system release.System, path string, step *step) ([]byte, error) {
	flags, env := s.Flags(), s.Environment(system)
	packages := 0
	err := goBuild(ctx, build{root: s.Dir, target: "./kernel", path: path, env: env, flags: flags}, func(what string) {
		packages++
		step.progress(packages, 0, what)
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}
