package toolchain

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// program is a build of a program that plugins are built for.
type program struct {
	file string
	info *debug.BuildInfo
	// id is the go command's build ID: checksums of all sources of the program and of the result.
	id string
}

// readProgram reads what an executable file says about how it was built. The error says why it
// cannot load plugins.
func readProgram(file string) (program, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return program{}, fmt.Errorf("%s does not say how it was built: %w", file, err)
	}
	p := program{file: file, info: info}
	if p.setting("CGO_ENABLED") != "1" {
		return program{}, errors.New("this program was built without cgo and cannot load compiled cells; install a C compiler (gcc) and run `go run ./install` again, with CGO_ENABLED=1")
	}
	f, err := elf.Open(file)
	if err != nil {
		return program{}, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	defer f.Close()
	if !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return program{}, errors.New("this program is linked statically and cannot load compiled cells; build it without -static, by `go run ./install`")
	}
	p.id, err = buildID(f)
	if err != nil {
		return program{}, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if p.id == "" {
		p.id, err = sumFile(file)
	}
	return p, err
}

// buildID returns the build ID from the note of Go's linker; empty if there is none.
func buildID(f *elf.File) (string, error) {
	section := f.Section(".note.go.buildid")
	if section == nil {
		return "", nil
	}
	note, err := section.Data()
	if err != nil {
		return "", err
	}
	const header = 16 // sizes of name and description, type, and the name "Go\0\0"
	if len(note) < header {
		return "", nil
	}
	size := f.ByteOrder.Uint32(note[4:])
	if uint64(size) > uint64(len(note)-header) {
		return "", nil
	}
	return string(note[header : header+size]), nil
}

func sumFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// setting returns a build setting; empty if it is not set.
func (p program) setting(key string) string {
	for _, s := range p.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// race reports whether the program has the race detector in it.
func (p program) race() bool { return p.setting("-race") == "true" }

// goVersion returns the version of the tool chain that built the program, such as go1.26.8.
func (p program) goVersion() string {
	version, _, _ := strings.Cut(p.info.GoVersion, " ")
	return version
}

// buildFlags returns the flags of go build with which the packages of the program were compiled,
// or, for flags of the linker, those recorded in its package main.
func (p program) buildFlags() []string {
	var flags []string
	for _, s := range p.info.Settings {
		switch s.Key {
		case "-race", "-msan", "-asan", "-trimpath", "-tags", "-gcflags", "-asmflags", "-ldflags", "-pgo":
			flags = append(flags, s.Key+"="+s.Value)
		}
	}
	if p.setting("vcs") == "" {
		flags = append(flags, "-buildvcs=false")
	}
	return flags
}

// These are the flags of the assembler and the compiler for packages that fit both a program and
// the plugins that it loads, and the linker flags for such packages. Go's linker merges the
// packages' symbols one by one, unless the program may be moved; the system's linker can still give
// it a fixed address. Debug data would take a seventh of the time.
const (
	dynlinkAssemble = "all=-dynlink"
	dynlinkCompile  = "all=-dynlink -dwarf=false"
	dynlinkLink     = "-s -w -buildmode=pie -extldflags=-no-pie"
)

// lastDynlink is the last release of Go with which a program works that is built so. One of Go
// 1.27.4 dies where the garbage collector runs while interpreted functions call each other: "found
// pointer to free object".
const lastDynlink = 26

// ProgramFlags returns the flags of the go command in dir that build a program, with these flags of
// the linker, so that its kit can use its packages. Without them, a kit compiles each package
// again.
func ProgramFlags(ctx context.Context, dir, ldflags string) ([]string, error) {
	out, err := run(ctx, dir, os.Environ(), "go", "env", "GOOS", "GOARCH", "CGO_ENABLED", "GOVERSION")
	if err != nil {
		return nil, err
	}
	system, version, _ := strings.Cut(strings.Join(strings.Fields(out), " "), " go")
	if system != "linux amd64 1" && system != "linux arm64 1" || minorOf("go"+version) > lastDynlink {
		return []string{"-ldflags=" + ldflags}, nil
	}
	return []string{"-gcflags=" + dynlinkCompile, "-asmflags=" + dynlinkAssemble, "-ldflags=" + dynlinkLink + " " + ldflags}, nil
}

// pluginFlags returns the flags of the go command that compile packages for plugins of the program.
func (p program) pluginFlags() []string {
	flags := p.buildFlags()
	if p.setting("-gcflags") != dynlinkCompile || p.setting("-asmflags") != dynlinkAssemble {
		flags = append(flags, "-buildmode=plugin")
	}
	return flags
}

// environment returns this process's environment, with the variables that decide about a build set
// as for the program's build.
func (p program) environment() []string {
	return append(os.Environ(), p.settings()...)
}

// settings returns the environment variables that decide about a build, as they were when the
// program was built.
func (p program) settings() []string {
	env := []string{"GOEXPERIMENT=", "GOFLAGS=" + moduleFlags(os.Getenv("GOFLAGS"))}
	for _, s := range p.info.Settings {
		if strings.HasPrefix(s.Key, "CGO_") || strings.HasPrefix(s.Key, "GO") {
			env = append(env, s.Key+"="+s.Value)
		}
	}
	return env
}

// moduleFlags returns those of GOFLAGS which say where modules are.
func moduleFlags(flags string) string {
	kept := slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return name != "mod" && name != "modfile" && name != "modcacherw"
	})
	return strings.Join(kept, " ")
}
