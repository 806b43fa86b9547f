package magics

import (
	"regexp"
	"slices"
	"strings"
)

// testOptions are the options of %test that programs of tests know, and whether they take a value.
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

// option is a word that is an option, with a value or without.
var option = regexp.MustCompile(`^--?([a-z]+)(?:=([\s\S]*))?$`)

// A TestRun is what the argument of %test asks for.
type TestRun struct {
	Options []string // for the program of the tests
	Race    bool     // it is built with the race detector
	Fuzz    string   // a regular expression for the fuzz test that gets random inputs
	names   []string // of tests
}

// TestArguments takes the argument of %test apart. The complaint is empty if nothing is wrong.
func TestArguments(argument string) (run TestRun, complaint string) {
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

// fuzzTime is how long a fuzz test runs, or how often.
var fuzzTime = regexp.MustCompile(`^(\d+x|[\d.]+(ns|us|µs|ms|s|m|h)[\d.a-zµ]*)$`)

// Choose returns the options for the program of the tests by which it runs those that are asked
// for, and the fuzz test that gets random inputs. Known are the names of all tests. What is called
// Parse may be written for TestParse, and a name may go on with that of a subtest behind a slash.
// Chosen are the names of those tests that may run.
func (r TestRun) Choose(known []string) (options, chosen []string, fuzz, complaint string) {
	options = r.Options
	find := func(name string) (found []string) {
		for _, k := range known {
			rest := strings.TrimPrefix(k, testKind(k))
			if k == name || rest == name || rest == "_"+name {
				found = append(found, k)
			}
		}
		if expression, err := regexp.Compile(name); err == nil && len(found) == 0 && name != "" {
			found = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !expression.MatchString(k) })
		}
		if tests := slices.DeleteFunc(slices.Clone(found), func(k string) bool { return k != name && testKind(k) == "Benchmark" }); len(tests) > 0 {
			return tests // go test runs no benchmark that it is not asked for
		}
		return found
	}
	none := func(what string) string {
		return "no cell has declared " + what + "; there are " + strings.Join(known, ", ")
	}
	var run, bench []string
	for _, name := range r.names {
		parts := strings.Split(name, "/")
		found := find(parts[0])
		if len(found) == 0 {
			return nil, nil, "", none("a test " + parts[0])
		}
		for _, parts[0] = range found {
			chosen = append(chosen, parts[0])
			pattern := "/^" + regexp.QuoteMeta(parts[0]) + "$"
			for _, part := range parts[1:] {
				pattern += "/" + subtest(part)
			}
			if testKind(parts[0]) == "Benchmark" {
				bench = append(bench, pattern[1:])
			} else {
				run = append(run, pattern[1:])
			}
		}
	}
	if r.Fuzz != "" {
		pattern, err := regexp.Compile(r.Fuzz)
		if err != nil {
			return nil, nil, "", "-fuzz " + r.Fuzz + " is no regular expression: " + err.Error()
		}
		found := slices.DeleteFunc(find(r.Fuzz), func(name string) bool { return testKind(name) != "Fuzz" })
		for _, k := range known {
			if len(found) == 0 && testKind(k) == "Fuzz" && pattern.MatchString(k) {
				found = append(found, k)
			}
		}
		if len(found) == 0 {
			return nil, nil, "", none("a fuzz test " + r.Fuzz)
		}
		fuzz = found[0]
		options = append(options, "-test.fuzz=^"+fuzz+"$")
		if run == nil && !slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "-test.run=") }) {
			run = append(run, "^"+fuzz+"$")
		}
		chosen = append(chosen, fuzz)
	}
	if bench != nil {
		options = append(options, "-test.bench="+strings.Join(bench, "|"))
		if run == nil {
			run = []string{"^$"}
		}
	}
	if run != nil {
		options = append(options, "-test.run="+strings.Join(run, "|"))
	}
	if r.names == nil && r.Fuzz == "" {
		chosen = r.matched(known)
	}
	return options, chosen, fuzz, ""
}

// subtest is the expression for subtests that are called like a text, or that it is an expression
// for.
func subtest(text string) string {
	exact := "^" + regexp.QuoteMeta(text) + "$"
	if _, err := regexp.Compile(text); err != nil {
		return exact
	}
	return "(?:" + exact + "|" + text + ")"
}

// matched returns the tests that -run and -bench choose by what the expressions say before a slash.
func (r TestRun) matched(known []string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		runs := testKind(name) != "Benchmark" // which run only if -bench says so
		for _, o := range r.Options {
			option, value, _ := strings.Cut(o, "=")
			if (option == "-test.bench") != (testKind(name) == "Benchmark") || option != "-test.run" && option != "-test.bench" {
				continue
			}
			value, _, _ = strings.Cut(value, "/")
			expression, err := regexp.Compile(value)
			runs = err != nil || expression.MatchString(name)
		}
		return !runs
	})
}

// testKind is the beginning of a test's name by which the go command takes it for one.
func testKind(name string) string {
	for _, kind := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return ""
}

// GoFlags takes the flags of %goflags apart. Clear says that there are to be none. The complaint is
// empty if nothing is wrong with them.
func GoFlags(argument string) (flags []string, clear bool, complaint string) {
	if argument == "--" {
		return nil, true, ""
	}
	flags, others, complaint := options(argument, func(name string) (value, ok bool) {
		value, ok = buildFlags[name]
		return value, ok
	}, "%goflags")
	if complaint == "" && len(others) > 0 {
		complaint = "%goflags takes options, and " + others[0] + " is none"
	}
	return flags, false, complaint
}

// options takes an argument apart, and returns each option, with its value, as a word, and the
// other words. Known says whether an option exists, and whether it takes a value.
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
