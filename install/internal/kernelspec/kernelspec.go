// Package kernelspec writes, recognizes and removes the folder by which Jupyter knows the hierml
// kernel: kernel.json and the logos. Where that folder is, and whether Jupyter sees it, is left to
// its callers.
package kernelspec

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	// DefaultName is the name that notebooks refer to.
	DefaultName = "hierml"
	// DefaultDisplayName is what people choose in the launcher.
	DefaultDisplayName = "Go (hierml)"
	// Language is the language of the notebooks, as their metadata name it.
	Language = "go"
	// protocol is the version of the messaging protocol that the kernel speaks.
	protocol = "5.5"
	// program is the base name of the kernel's program, without .exe.
	program = "hierml"
)

//go:embed logo/logo-32x32.png logo/logo-64x64.png logo/logo-svg.svg
var logos embed.FS

// Spec describes one registration of the kernel.
type Spec struct {
	// Name is the folder's name and what notebooks refer to, such as "hierml".
	Name string
	// DisplayName is shown to people, such as "Go (hierml)".
	DisplayName string
	// Program is the absolute path of the hierml program. In installations by other tools it is a
	// path below "{resource_dir}", which Jupyter replaces by the folder of the kernel.
	Program string
}

// file is kernel.json as jupyter_client reads it.
type file struct {
	Argv            []string       `json:"argv"`
	DisplayName     string         `json:"display_name"`
	Language        string         `json:"language"`
	InterruptMode   string         `json:"interrupt_mode"`
	ProtocolVersion string         `json:"kernel_protocol_version"`
	Metadata        map[string]any `json:"metadata"`
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// Check returns an error that says what to change if Jupyter would not accept s.
func (s Spec) Check() error {
	if !validName.MatchString(s.Name) {
		return fmt.Errorf("kernel name %q: Jupyter takes letters, digits, '.', '_' and '-' only, and no '.' in front; choose another with --name", s.Name)
	}
	if strings.TrimSpace(s.DisplayName) == "" {
		return errors.New("the display name is empty; give one with --display-name")
	}
	if !filepath.IsAbs(s.Program) && !strings.HasPrefix(s.Program, "{resource_dir}/") {
		return fmt.Errorf("program %q: Jupyter needs its absolute path", s.Program)
	}
	return nil
}

// Dir returns the folder of the kernel called name under a Jupyter data folder. Jupyter looks names
// up in lower case.
func Dir(jupyter, name string) string {
	return filepath.Join(jupyter, "kernels", strings.ToLower(name))
}

// Write puts kernel.json and the logos into dir, which must exist, over those of an earlier
// installation. It refuses, with a *ForeignError, to replace another kernel.
func (s Spec) Write(dir string) error {
	if err := s.Check(); err != nil {
		return err
	}
	if _, err := Program(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	files, err := s.Files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// A File is one of the folder of a kernel.
type File struct {
	Name    string
	Content []byte
}

// Files returns the content of the kernel's folder: kernel.json, then the logos.
func (s Spec) Files() ([]File, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(file{
		Argv:            []string{s.Program, "kernel", "{connection_file}"},
		DisplayName:     s.DisplayName,
		Language:        Language,
		InterruptMode:   "message",
		ProtocolVersion: protocol,
		Metadata:        map[string]any{"debugger": true},
	})
	if err != nil {
		return nil, err
	}
	files := []File{{"kernel.json", buf.Bytes()}}
	err = eachLogo(func(name string, content []byte) error {
		files = append(files, File{name, content})
		return nil
	})
	return files, err
}

// Program returns the program that the kernel in dir starts. The error wraps fs.ErrNotExist where
// no kernel is, and is a *ForeignError where the kernel is not a hierml one.
func Program(dir string) (string, error) {
	path := filepath.Join(dir, "kernel.json")
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var f file
	if err := json.Unmarshal(content, &f); err != nil {
		return "", &ForeignError{Path: path, Reason: err.Error()}
	}
	if len(f.Argv) == 0 || strings.TrimSuffix(filepath.Base(f.Argv[0]), ".exe") != program {
		return "", &ForeignError{Path: path, Reason: fmt.Sprintf("it starts %q", f.Argv)}
	}
	return f.Argv[0], nil
}

// Remove deletes the files of Write from dir, and dir itself if nothing else is in it. For another
// kernel it returns a *ForeignError and deletes nothing; a missing folder is not an error.
func Remove(dir string) error {
	_, err := Program(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = eachLogo(func(name string, _ []byte) error {
		return removeIfThere(filepath.Join(dir, name))
	})
	if err != nil {
		return err
	}
	if err := removeIfThere(filepath.Join(dir, "kernel.json")); err != nil {
		return err
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		return err
	}
	return os.Remove(dir)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Logos returns the logos, by the names of their files.
func Logos() (map[string][]byte, error) {
	found := map[string][]byte{}
	err := eachLogo(func(name string, content []byte) error {
		found[name] = content
		return nil
	})
	return found, err
}

func eachLogo(do func(name string, content []byte) error) error {
	entries, err := logos.ReadDir("logo")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		content, err := logos.ReadFile("logo/" + entry.Name())
		if err != nil {
			return err
		}
		if err := do(entry.Name(), content); err != nil {
			return err
		}
	}
	return nil
}

// ForeignError reports a kernel that hierml did not register.
type ForeignError struct {
	// Path is the kernel.json in question.
	Path string
	// Reason says why it is not hierml's.
	Reason string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s belongs to another kernel (%s); choose another name with --name, or remove it", e.Path, e.Reason)
}
