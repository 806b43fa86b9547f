package files

import (
	"regexp"
	"strings"
)

// Newsgroup lists the parts of a message to remove, by the rules of scikit-learn's
// fetch_20newsgroups, with which results are usually compared. Without these parts the task is
// harder but more meaningful.
type Newsgroup struct {
	Headers bool // what stands before the first empty line
	Footers bool // what stands after the last line that is empty or of dashes
	Quotes  bool // lines that look quoted, or announce that
}

// PlainNewsgroup removes headers, footers and quotes.
func PlainNewsgroup() Newsgroup { return Newsgroup{Headers: true, Footers: true, Quotes: true} }

var quoted = regexp.MustCompile(`writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>`)

// Strip returns the text without those parts.
func (n Newsgroup) Strip(text string) string {
	if n.Headers {
		_, text, _ = strings.Cut(text, "\n\n")
	}
	if n.Footers {
		text = withoutFooter(text)
	}
	if n.Quotes {
		var kept []string
		for line := range strings.SplitSeq(text, "\n") {
			if !quoted.MatchString(line) {
				kept = append(kept, line)
			}
		}
		text = strings.Join(kept, "\n")
	}
	return text
}

func withoutFooter(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.Trim(strings.TrimSpace(lines[i]), "-") == "" {
			if i > 0 {
				return strings.Join(lines[:i], "\n")
			}
			break
		}
	}
	return text
}
