package files

import (
	"fmt"
	"strings"

	"github.com/hierml/notebook/hierml/internal/textfile"
)

// symbolLevels returns the symbols from the section down to the one given, which is written as in
// the files of WIPO-alpha (A01B00102), as in those since 2006 (A01B0001020000), or as it is printed
// (A01B 1/02).
func symbolLevels(symbol string) (levels []string, ok bool) {
	symbol = strings.ToUpper(strings.TrimSpace(symbol))
	n := len(symbol)
	if n == 0 || !isLetter(symbol[0]) || n > 1 && (n < 3 || !isDigits(symbol[1:3])) || n > 3 && !isLetter(symbol[3]) {
		return nil, false
	}
	for _, end := range []int{1, 3, 4} {
		if n >= end {
			levels = append(levels, symbol[:end])
		}
	}
	if n <= 4 {
		return levels, true
	}
	group, subgroup, printed := strings.Cut(strings.TrimSpace(symbol[4:]), "/")
	if !printed {
		switch len(group) {
		case 3, 5, 6, 7: // three digits of the group
			group, subgroup = group[:3], group[3:]
		case 10: // four, and six of the subgroup
			group, subgroup = group[:4], group[4:6]+strings.TrimRight(group[6:], "0")
		default:
			return nil, false
		}
	}
	group = strings.TrimLeft(group, "0")
	if group == "" || len(group) > 4 || !isDigits(group) || !isDigits(subgroup) || len(subgroup) == 1 || len(subgroup) > 6 {
		return nil, false
	}
	levels = append(levels, symbol[:4]+" "+group+"/00")
	switch {
	case subgroup == "":
	case strings.Trim(subgroup, "0") == "":
		levels = append(levels, levels[3])
	default:
		levels = append(levels, symbol[:4]+" "+group+"/"+subgroup)
	}
	return levels, true
}

// symbolCode is the inverse of symbolLevels, for files of WIPO-alpha.
func symbolCode(name string) (string, error) {
	levels, ok := symbolLevels(name)
	if !ok || levels[len(levels)-1] != name {
		return "", fmt.Errorf("%s is not a symbol of the International Patent Classification, such as A01B or A01B 1/02", textfile.Quote(name))
	}
	class, number, grouped := strings.Cut(name, " ")
	if !grouped {
		return name, nil
	}
	group, subgroup, _ := strings.Cut(number, "/")
	if len(group) > 3 || len(subgroup) > 4 {
		return "", fmt.Errorf("%s is not a symbol of the edition that this format has; a group must have at most three digits", textfile.Quote(name))
	}
	return class + strings.Repeat("0", 3-len(group)) + group + subgroup, nil
}

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' }
