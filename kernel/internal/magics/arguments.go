package magics

import (
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hierml/notebook/kernel/internal/program"
	"github.com/hierml/notebook/kernel/internal/syntax"
)

// read parses the argument of a magic in a cell, or the statements that it measures. at is the
// place of a mistake, and complaint is empty if there is none.
func (m *Use) read(source string) (at int, complaint string) {
	argument := source[m.Argument:m.ArgumentEnd]
	at = m.Argument
	switch m.Name {
	case "cd":
		m.function, m.words = "Chdir", []string{Unquote(argument)}
	case "env":
		complaint = m.readVariable(argument)
	case "load":
		m.function, m.words = "Load", []string{Unquote(argument)}
		if argument == "" {
			return m.Start, "%load needs the name of a file"
		}
	case "writefile":
		m.function = "WriteFile"
		if rest, ok := strings.CutPrefix(argument, "-a"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			m.function, argument = "AppendFile", strings.TrimSpace(rest)
		}
		m.words = []string{Unquote(argument)}
		if argument == "" {
			return m.Start, "%%writefile needs the name of a file"
		}
	case "args":
		m.function = "Args"
		if m.words, complaint = words(argument); m.words != nil {
			m.function = "SetArgs"
			if m.words[0] == "--" {
				m.words = m.words[1:]
			}
		}
	case "rm":
		if argument == "" {
			return m.Start, "%rm needs the names to remove"
		}
	case "run":
		if argument == "" {
			return m.Start, "%run needs the name of a file"
		}
		m.Files = files(argument)
	case "test":
		m.Test, complaint = testArguments(argument)
	case "goflags":
		m.Flags, m.Unset, complaint = goFlags(argument)
	case "history":
		if argument == "" {
			break
		}
		number, found := strings.CutPrefix(argument, "-n")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if m.Last = n; !found || err != nil || n <= 0 {
			complaint = "%history takes no argument, or -n and a number of inputs"
		}
	case "capture":
		if argument != "" && (!token.IsIdentifier(argument) || argument == "_") {
			complaint = fmt.Sprintf("%q is not the name of a variable", argument)
		}
	case "who", "reset", "help":
		if argument != "" && (m.Name != "who" || argument != "-m") {
			complaint = "%" + m.Name + " takes no argument"
		}
	case "engine":
		if mode := program.AutoMode; argument != "" && mode.UnmarshalText([]byte(argument)) != nil {
			complaint = "%engine takes auto, interpreted or compiled"
		}
	case "strict":
		if argument != "" && argument != "on" && argument != "off" {
			complaint = "%strict takes on or off"
		}
	case "time", "prof", "timeit":
		if m.Command || m.Whole && m.Name != "timeit" {
			break
		}
		// The Go code around a text that is not a list of statements would make that hard to
		// understand.
		m.body, at, complaint = syntax.Statements(source[m.Statement:m.StatementEnd])
		if at >= 0 {
			complaint = cmp.Or(complaint, "%"+m.Name+" measures only statements. Put everything else into another cell")
		}
		return m.Statement + at, complaint
	}
	return at, complaint
}

// readVariable parses the argument of %env. The complaint is empty if nothing is wrong.
func (m *Use) readVariable(argument string) (complaint string) {
	name, value, set := strings.Cut(argument, "=")
	if !set {
		if i := strings.IndexAny(argument, " \t"); i >= 0 {
			name, value, set = argument[:i], argument[i:], true
		}
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	switch {
	case set && (name == "" || strings.ContainsAny(name, " \t\x00")):
		return fmt.Sprintf("%q is not the name of an environment variable", name)
	case set && strings.Contains(value, "$") && value[0] != '\'':
		m.function, m.words = "ExpandEnv", []string{name, Unquote(value)}
	case set:
		m.function, m.words = "Setenv", []string{name, Unquote(value)}
	case argument == "":
		m.function = "Environ"
	default:
		m.function, m.words = "Getenv", []string{name}
	}
	return ""
}

// testOptions are the options of %test for test programs, and whether they take a value.
var testOptions = map[string]bool{
	"run": true, "skip": true, "bench": true, "benchtime": true, "count": true, "cpu": true, "timeout": true, "parallel": true, "shuffle": true,
	"fuzz": true, "fuzztime": true, "fuzzminimizetime": true,
	"v": false, "short": false, "benchmem": false, "failfast": false,
}

// buildFlags are the flags of the go command that %goflags sets, and whether they take a value.
var buildFlags = map[string]bool{
	"tags": true, "gcflags": true, "ldflags": true, "asmflags": true, "p": true, "pgo": true,
	"race": false, "msan": false, "asan": false, "trimpath": false, "a": false,
}

// option matches a word that is an option, with or without a value.
var option = regexp.MustCompile(`^--?([a-z]+)(?:=([\s\S]*))?$`)

// testArguments parses the argument of %test. The complaint is empty if nothing is wrong.
func testArguments(argument string) (run TestRun, complaint string) {
	list, names, complaint := options(argument, func(name string) (value, ok bool) {
		value, ok = testOptions[name]
		return value, ok || name == "race"
	}, "%test")
	chosen := ""
	for _, o := range list {
		switch name, value, _ := strings.Cut(o, "="); name {
		case "-race":
			run.Race = o != "-race=false"
			continue
		case "-fuzz":
			run.Fuzz = value
			continue
		case "-run", "-bench":
			chosen = name
		}
		run.Options = append(run.Options, "-test."+o[1:])
	}
	for _, name := range names {
		if run.Fuzz != "" && fuzzTime.MatchString(name) {
			run.Options = append(run.Options, "-test.fuzztime="+name)
			continue
		}
		run.names = append(run.names, name)
	}
	if complaint == "" && chosen != "" && len(run.names) > 0 {
		complaint = "%test takes the name " + run.names[0] + ", or " + chosen + ", and not both"
	}
	return run, complaint
}

// fuzzTime matches how long, or how often, a fuzz test runs.
var fuzzTime = regexp.MustCompile(`^(\d+x|[\d.]+(ns|us|µs|ms|s|m|h)[\d.a-zµ]*)$`)

// goFlags parses the flags of %goflags. unset says that all are removed. The complaint is empty if
// nothing is wrong.
func goFlags(argument string) (flags []string, unset bool, complaint string) {
	if argument == "--" {
		return nil, true, ""
	}
	flags, others, complaint := options(argument, func(name string) (value, ok bool) {
		value, ok = buildFlags[name]
		return value, ok
	}, "%goflags")
	if complaint == "" && len(others) > 0 {
		complaint = "%goflags takes options, and " + others[0] + " is not one"
	}
	return flags, false, complaint
}

// options parses an argument, and returns each option with its value as a word, and the other
// words. known says whether an option exists, and whether it takes a value.
func options(argument string, known func(name string) (value, ok bool), magic string) (list, others []string, complaint string) {
	parts, complaint := words(argument)
	for len(parts) > 0 && complaint == "" {
		m := option.FindStringSubmatch(parts[0])
		if m == nil {
			others = append(others, parts[0])
			parts = parts[1:]
			continue
		}
		value, ok := known(m[1])
		switch {
		case !ok:
			return nil, nil, magic + " has no option -" + m[1]
		case value && !strings.Contains(parts[0], "="):
			if len(parts) == 1 {
				return nil, nil, "-" + m[1] + " needs a value"
			}
			parts = slices.Replace(parts, 0, 2, "-"+m[1]+"="+parts[1])
		default:
			parts[0] = "-" + strings.TrimLeft(parts[0], "-")
		}
		list = append(list, parts[0])
		parts = parts[1:]
	}
	return list, others, complaint
}

// words splits a text into words. Quotation marks hold one together.
func words(text string) (words []string, complaint string) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			begun, quote = true, r
		case quote == 0 && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, "a quotation mark is not closed"
	}
	if begun {
		words = append(words, word.String())
	}
	return words, ""
}

// A File is a file that %run names, and its arguments as written.
type File struct{ Name, Arguments string }

// files returns the possible files of a %run, since the name of a file may contain blanks: the
// whole argument, or its first word.
func files(argument string) []File {
	all := File{Name: Unquote(argument)}
	quote := rune(0)
	for i, r := range argument {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == ' ' || r == '\t':
			return []File{all, {Unquote(argument[:i]), strings.TrimSpace(argument[i:])}}
		}
	}
	return []File{all}
}

// Unquote removes the quotes around a name.
func Unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
