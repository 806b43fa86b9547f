package magics

import (
	"regexp"
	"slices"
	"strings"
)

// A TestRun is the parsed argument of %test.
type TestRun struct {
	Options []string // for the test program
	Race    bool     // build with the race detector
	Fuzz    string   // a regular expression for the fuzz test that gets random inputs
	names   []string // of tests
}

// Choose returns the options for the test program that select the requested tests, and the fuzz
// test to run with random inputs. known are the names of all tests. Parse may be written for
// TestParse, and a name may continue with that of a subtest after a slash. chosen are the names of
// the tests that may run.
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
			return tests // go test runs benchmarks only on request
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
			return nil, nil, "", "-fuzz " + r.Fuzz + " is not a regular expression: " + err.Error()
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

// subtest returns the regular expression for subtests whose name is a text, or that the text
// matches as an expression.
func subtest(text string) string {
	exact := "^" + regexp.QuoteMeta(text) + "$"
	if _, err := regexp.Compile(text); err != nil {
		return exact
	}
	return "(?:" + exact + "|" + text + ")"
}

// matched returns the tests that -run and -bench select with the expressions before a slash.
func (r TestRun) matched(known []string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		runs := testKind(name) != "Benchmark" // benchmarks run only with -bench
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

// testKind returns the prefix of a test's name that makes it one for the go command.
func testKind(name string) string {
	for _, kind := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return ""
}
