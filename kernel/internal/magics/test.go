package magics

import (
	"regexp"
	"slices"
	"strings"
)

// testOptions are the options of %test that programs of tests know, and whether they take a value.
var testOptions = map[string]bool{
	"run": true, "skip": true, "bench": true, "benchtime": true, "count": true, "cpu": true, "timeout": true,
	"v": false, "short": false, "benchmem": false, "failfast": false,
}

// buildFlags are the flags of the go command that %goflags sets, and whether they take a value.
var buildFlags = map[string]bool{
	"tags": true, "gcflags": true, "ldflags": true, "asmflags": true, "p": true, "pgo": true,
	"race": false, "msan": false, "asan": false, "trimpath": false, "a": false,
}

// option is a word that is an option, with a value or without.
var option = regexp.MustCompile(`^--?([a-z]+)(?:=([\s\S]*))?$`)

// TestArguments takes the options of %test apart: race says that the tests are to be built with the
// race detector, and the others are those of the program of the tests. The complaint is empty if
// nothing is wrong with them.
func TestArguments(argument string) (arguments []string, race bool, complaint string) {
	list, complaint := options(argument, func(name string) (value, ok bool) {
		value, ok = testOptions[name]
		return value, ok || name == "race"
	}, "%test")
	for _, o := range list {
		if name, _, _ := strings.Cut(o, "="); name == "-race" {
			race = o != "-race=false"
			continue
		}
		arguments = append(arguments, "-test."+o[1:])
	}
	return arguments, race, complaint
}

// GoFlags takes the flags of %goflags apart. Clear says that there are to be none. The complaint is
// empty if nothing is wrong with them.
func GoFlags(argument string) (flags []string, clear bool, complaint string) {
	if argument == "--" {
		return nil, true, ""
	}
	flags, complaint = options(argument, func(name string) (value, ok bool) {
		value, ok = buildFlags[name]
		return value, ok
	}, "%goflags")
	return flags, false, complaint
}

// options takes options apart, and returns each as a word. Those that exist are known, which says
// whether they take a value.
func options(argument string, known func(name string) (value, ok bool), magic string) (list []string, complaint string) {
	parts, complaint := words(argument)
	for len(parts) > 0 && complaint == "" {
		m := option.FindStringSubmatch(parts[0])
		if m == nil {
			return nil, magic + " takes options, and " + parts[0] + " is none"
		}
		value, ok := known(m[1])
		switch {
		case !ok:
			return nil, magic + " has no option -" + m[1]
		case value && !strings.Contains(parts[0], "="):
			if len(parts) == 1 {
				return nil, "-" + m[1] + " needs a value"
			}
			parts = slices.Replace(parts, 0, 2, "-"+m[1]+"="+parts[1])
		default:
			parts[0] = "-" + strings.TrimLeft(parts[0], "-")
		}
		list = append(list, parts[0])
		parts = parts[1:]
	}
	return list, complaint
}
