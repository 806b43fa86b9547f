// Package pattern compares the output of programs with patterns: text and JSON with wildcards for
// the parts that differ from run to run.
//
// In a pattern, … stands for any text, # for any number, and #<5 for a number below 5.
package pattern

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var wildcard = regexp.MustCompile(`…|#(?:<[0-9.]+)?`)

const number = `-?[0-9]+(?:\.[0-9]+)?`

// matches reports whether a pattern matches a whole text.
func matches(pattern, text string) bool {
	var expression strings.Builder
	var bounds []float64
	expression.WriteString("(?s)^")
	end := 0
	for _, at := range wildcard.FindAllStringIndex(pattern, -1) {
		expression.WriteString(regexp.QuoteMeta(pattern[end:at[0]]))
		end = at[1]
		switch sign := pattern[at[0]:at[1]]; {
		case sign == "…":
			expression.WriteString(".*")
		case sign == "#":
			expression.WriteString(number)
		default:
			bound, err := strconv.ParseFloat(sign[len("#<"):], 64)
			if err != nil {
				return false
			}
			bounds = append(bounds, bound)
			expression.WriteString("(" + number + ")")
		}
	}
	expression.WriteString(regexp.QuoteMeta(pattern[end:]) + "$")
	found := regexp.MustCompile(expression.String()).FindStringSubmatch(text)
	if found == nil {
		return false
	}
	for i, bound := range bounds {
		if value, err := strconv.ParseFloat(found[i+1], 64); err != nil || value >= bound {
			return false
		}
	}
	return true
}

// Lines returns the differences between a text and its pattern, which has a line for each line of
// the text. Pattern lines that begin with a question mark are optional.
func Lines(pattern, text string) []string {
	var problems []string
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, want := range strings.Split(strings.TrimRight(pattern, "\n"), "\n") {
		optional, maybe := strings.CutPrefix(want, "?")
		switch {
		case maybe:
			if len(lines) > 0 && matches(optional, lines[0]) {
				lines = lines[1:]
			}
		case len(lines) == 0:
			problems = append(problems, "missing: "+want)
		case !matches(want, lines[0]):
			return append(problems, fmt.Sprintf("got  %s\nwant %s", lines[0], want))
		default:
			lines = lines[1:]
		}
	}
	for _, line := range lines {
		problems = append(problems, "more than expected: "+line)
	}
	return problems
}

// JSON returns the differences between a value, decoded from JSON, and its pattern; path locates
// them. For an object, the pattern has the required names, and null for forbidden ones; for a list
// it has each element, or … for any number of them. Texts are patterns, also for numbers.
func JSON(path string, pattern, value any) []string {
	differs := func() []string {
		return []string{fmt.Sprintf("%s is %s, want %s", path, encoded(value), encoded(pattern))}
	}
	switch pattern := pattern.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return differs()
		}
		var problems []string
		for key, want := range pattern {
			problems = append(problems, JSON(path+"."+key, want, object[key])...)
		}
		return problems
	case []any:
		if list, ok := value.([]any); !ok || !matchesList(pattern, list) {
			return differs()
		}
		return nil
	case string:
		text, ok := value.(string)
		if _, isNumber := value.(float64); isNumber {
			text, ok = encoded(value), true
		}
		if pattern != "…" && !(ok && matches(pattern, text)) {
			return differs()
		}
		return nil
	}
	if encoded(pattern) != encoded(value) {
		return differs()
	}
	return nil
}

func matchesList(pattern, list []any) bool {
	if len(pattern) == 0 {
		return len(list) == 0
	}
	if pattern[0] == "…" {
		return matchesList(pattern[1:], list) || len(list) > 0 && matchesList(pattern, list[1:])
	}
	return len(list) > 0 && len(JSON("", pattern[0], list[0])) == 0 && matchesList(pattern[1:], list[1:])
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
