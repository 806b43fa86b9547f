package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hierml/notebook/hierml/internal/describe"
	"github.com/hierml/notebook/hierml/internal/textfile"
	"github.com/hierml/notebook/hierml/taxonomy"
)

// writtenLabels describes how a format writes labels, by its settings.
type writtenLabels struct {
	format string // the type that has the settings, or "" if there are none
	column string // the column whose fields may have several labels, if there is one

	// The separator of the labels of a field, and of the levels of a label: "" to detect it, none
	// if there is no separator.
	several, levels string
	levelsSetting   string // its name
}

// pathsOf says that labels may be paths, by the format's setting PathSeparator.
func pathsOf(format, separator string) writtenLabels {
	return writtenLabels{format: format, levels: separator, levelsSetting: "PathSeparator"}
}

// setting returns the code that sets something.
func (w *writtenLabels) setting(what string) string { return w.format + "{" + what + "}" }

// none means no separator.
const none = "none"

// labelSeparators are the possible separators of the labels of a field.
var labelSeparators = []string{",", "|", ";"}

// pathSeparators are the possible separators of the levels of labels; those that contain others
// come first.
var pathSeparators = []string{"::", "->", ">", "/", "|", `\`, "."}

// levelSeparator returns the separator of levels that have separate columns or folders.
func levelSeparator(setting string) string {
	if setting == "" || setting == none {
		return "/"
	}
	return setting
}

// tell adds a note about a guess, with the setting that changes it.
func (l *labeler) tell(setting, format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...)+" [files."+l.written.setting(setting)+"]")
}

// divide returns the labels of a field. If the separator is not known, a field that is a node of
// the taxonomy is one label, and others have several if some of their parts are nodes.
func (l *labeler) divide(field string) []string {
	separator := l.written.several
	if l.taxonomy != nil && separator != none {
		if _, whole := l.node(field); whole {
			return []string{field}
		}
		if separator == "" {
			separator = l.knownSeparator(field)
		}
	}
	if separator == none || separator == "" || !strings.Contains(field, separator) {
		return []string{field}
	}
	if l.divided == nil {
		l.divided = make(map[string]int)
	}
	l.divided[separator]++
	return splitSet(field, separator)
}

// knownSeparator returns the separator of labels of the taxonomy in a field that is not a label:
// the one with the largest share of labels, or "".
func (l *labeler) knownSeparator(field string) string {
	best, most := "", 0.0
	for _, separator := range labelSeparators {
		parts, nodes := splitSet(field, separator), 0
		for _, label := range parts {
			if _, known := l.node(label); known {
				nodes++
			}
		}
		if share := float64(nodes) / float64(max(len(parts), 1)); share > most && strings.Contains(field, separator) {
			best, most = separator, share
		}
	}
	if best == "" && strings.EqualFold(l.written.column, "labels") {
		return ","
	}
	return best
}

// findSeparators detects the separators of labels, and of their levels, in the collected fields.
func (l *labeler) findSeparators() {
	labels := l.names
	if l.written.column != "" {
		if l.written.several == "" {
			l.written.several = l.labelSeparator()
		}
		labels = nil
		for _, field := range l.names {
			labels = append(labels, l.divide(field)...)
		}
	}
	if l.written.levels == "" {
		l.written.levels = l.pathSeparator(distinctOf(labels))
	}
}

// labelSeparator returns the separator of several labels of a field, or none if each field has one
// label.
func (l *labeler) labelSeparator() string {
	commas := 0
	for n, field := range l.names {
		if strings.Contains(field, ",") {
			commas += l.counts[n]
		}
	}
	column := describe.Cut(l.written.column, 40)
	for _, separator := range []string{"|", ";"} {
		if with := setSeparator(l.names, l.counts, setShare); with == separator && isSet(l.names, l.counts, separator) && (placesVary(l.names, separator) || !pathsShare(distinctOf(l.names), separator)) {
			l.tell("LabelSeparator", "fields of column %s have several labels, separated by %q", column, separator)
			return separator
		}
	}
	switch {
	case commas > 0 && strings.EqualFold(l.written.column, "labels"):
		l.tell(`LabelSeparator: "none"`, "%s of column %s %s several labels, separated by commas", describe.Count(commas, "field", "fields"), column, has(commas))
		return ","
	case commas > 0:
		l.tell(`LabelSeparator: ","`, "%s of column %s %s commas, and %s one label each", describe.Count(commas, "field", "fields"), column, has(commas), isOrAre(commas))
	}
	return none
}

// placesVary reports whether a part of some field is the first of it, and a later one of another:
// it is no level then.
func placesVary(fields []string, separator string) bool {
	first, later := make(map[string]bool), make(map[string]bool)
	for _, w := range fields {
		for k, part := range splitSet(w, separator) {
			if k > 0 {
				later[part] = true
			} else if strings.Contains(w, separator) {
				first[part] = true
			}
		}
	}
	for part := range first {
		if later[part] {
			return true
		}
	}
	return false
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// pathSeparator returns what stands between the levels of the different labels, or none.
func (l *labeler) pathSeparator(labels []string) string {
	odd, example := "", ""
	for _, separator := range pathSeparators {
		if pathsShare(labels, separator) {
			if spaced := " " + separator + " "; !slices.ContainsFunc(labels, func(label string) bool {
				return strings.Count(label, separator) != strings.Count(label, spaced)
			}) {
				separator = spaced
			}
			l.tell(l.written.levelsSetting, "labels have levels, separated by %q", separator)
			return separator
		}
		if at := slices.IndexFunc(labels, func(label string) bool { return strings.Contains(label, separator) }); at >= 0 && odd == "" && separator != "." {
			odd, example = separator, labels[at]
		}
	}
	if odd != "" {
		l.tell(fmt.Sprintf("%s: %q", l.written.levelsSetting, odd), "labels such as %s count as one level each", textfile.Quote(describe.Cut(example, 60)))
	}
	return none
}

func distinctOf(names []string) []string {
	distinct := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	slices.Sort(distinct)
	return slices.Compact(distinct)
}

// pathsShare reports whether most of the distinct names are paths: they contain the separator, or
// are a prefix of others before one. Some must share a prefix, and no part may be empty. A point
// separates neither words of a text nor digits of numbers.
func pathsShare(names []string, separator string) bool {
	firsts := make(map[string]int)
	paths, numbers := 0, 0
	for _, name := range names {
		first, _, found := strings.Cut(name, separator)
		if separator == "." {
			if strings.Contains(name, " ") {
				return false
			}
			if _, err := strconv.ParseFloat(name, 64); err == nil {
				numbers++
			}
		}
		if !found {
			continue
		}
		paths++
		firsts[strings.TrimSpace(first)]++
		if slices.Contains(strings.Split(taxonomy.PathName(name, separator), separator), "") {
			return false
		}
	}
	above := 0
	for _, name := range names {
		if !strings.Contains(name, separator) && firsts[strings.TrimSpace(name)] > 0 {
			above++
		}
	}
	return 2*(paths+above) > len(names) && len(firsts) < paths+above && numbers < len(names)
}
