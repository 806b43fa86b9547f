// Package magic carries out the magics of cells: lines such as %time f() or !ls, which the engine
// turns into calls of these functions. You can also call them in cells, in scripts and in compiled
// programs.
//
// If the command or file of a function fails, the function ends the cell with the error: it panics
// with a [host.Failure].
package magic

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hierml/notebook/internal/replace"
	"github.com/hierml/notebook/stdlib/host"
	"github.com/hierml/notebook/stdlib/nb"
)

// fail ends the cell if err is not nil.
func fail(err error) {
	if err != nil {
		panic(host.Failure{Err: err})
	}
}

// say prints a confirmation for the user.
func say(format string, args ...any) {
	_, err := fmt.Fprintf(host.Stdout(), format+"\n", args...)
	fail(err)
}

var visited struct {
	sync.Mutex
	last string // the working directory before this one
}

// Chdir changes the working directory and prints it: %cd. An empty path means the user's home
// directory, as does ~ at the beginning of a path, and a hyphen means the previous working
// directory.
func Chdir(path string) {
	visited.Lock()
	defer visited.Unlock()
	if path == "" {
		path = "~"
	}
	if path == "-" {
		if visited.last == "" {
			fail(errors.New("there is no directory to go back to"))
		}
		path = visited.last
	}
	before, _ := os.Getwd() // if it is gone, there is no way back
	fail(os.Chdir(expand(path)))
	visited.last = before
	now, err := os.Getwd()
	fail(err)
	say("%s", now)
}

// expand returns the path with ~ replaced by the user's home directory.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' {
		return path
	}
	home, err := os.UserHomeDir()
	fail(err)
	return filepath.Join(home, rest)
}

// Environ prints the environment variables: %env. It hides the values of those whose names suggest
// secrets, since the output is stored in the notebook.
func Environ() {
	all := os.Environ()
	slices.Sort(all)
	for i, entry := range all {
		if name, _, ok := strings.Cut(entry, "="); ok && secret(name) {
			all[i] = name + "=(hidden)"
		}
	}
	say("%s", strings.Join(all, "\n"))
}

func secret(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"},
		func(word string) bool { return strings.Contains(name, word) })
}

// Getenv prints an environment variable: %env NAME.
func Getenv(name string) {
	value, ok := os.LookupEnv(name)
	if !ok {
		fail(fmt.Errorf("there is no environment variable %s", name))
	}
	say("%s", value)
}

// Setenv sets an environment variable and prints it: %env NAME=VALUE.
func Setenv(name, value string) { setenv(name, value, secret(name)) }

func setenv(name, value string, hides bool) {
	fail(os.Setenv(name, value))
	if hides {
		value = "(hidden)"
	}
	say("%s=%s", name, value)
}

// ExpandEnv is Setenv with a value in which $NAME and ${NAME} stand for variables that are set:
// %env PATH=$PATH:/opt/bin. Unset variables stay as written.
func ExpandEnv(name, value string) {
	hides := secret(name)
	expanded := variable.ReplaceAllStringFunc(value, func(written string) string {
		other := strings.Trim(written, "${}")
		if of, ok := os.LookupEnv(other); ok {
			hides = hides || secret(other)
			return of
		}
		return written
	})
	setenv(name, expanded, hides)
}

var variable = regexp.MustCompile(`\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})`)

// Show shows a text of a type that front ends support: %%html, %%markdown and similar magics.
func Show(mimeType, text string) { nb.MIME(mimeType, text) }

// Load replaces the running cell with the text of a file: %load.
func Load(path string) {
	text, err := os.ReadFile(expand(path))
	fail(err)
	nb.ReplaceInput("// %load " + path + "\n" + string(text))
}

// WriteFile writes a file with the text: %%writefile FILE.
func WriteFile(path, text string) {
	name := expand(path)
	_, err := os.Stat(name)
	fail(replace.Content(name, []byte(text)))
	if err == nil {
		say("Overwrote %s", path)
		return
	}
	say("Wrote %s", path)
}

// AppendFile adds the text to a file: %%writefile -a FILE.
func AppendFile(path, text string) {
	f, err := os.OpenFile(expand(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	fail(err)
	_, err = io.WriteString(f, text)
	fail(errors.Join(err, f.Close()))
	say("Appended to %s", path)
}

// Brief returns the values as text, one shortened line each: the values in %who.
func Brief(values ...any) string {
	const most = 100 // characters, which the caller may cut further
	lines := make([]string, len(values))
	for i, v := range values {
		text := fmt.Sprintf("%v", v)
		if s, ok := v.(string); ok {
			text = strconv.Quote(s[:min(len(s), utf8.UTFMax*most)])
		}
		text = strings.ReplaceAll(text, "\n", " ")
		if runes := []rune(text); len(runes) > most {
			text = string(runes[:most])
		}
		lines[i] = text
	}
	return strings.Join(lines, "\n")
}
