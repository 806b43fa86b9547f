package assist

import (
	"os"
	"slices"
	"strings"

	"github.com/hierml/notebook/kernel/internal/magics"
	"github.com/hierml/notebook/kernel/internal/program"
)

// known reports whether a name is defined in the session.
func (a *Assistant) known(name string) bool {
	a.Mutex.Lock()
	defer a.Mutex.Unlock()
	return a.Checker.Known(name)
}

// magicAt returns the magic at an offset, or one that ends there, without Go code behind it; nil if
// there is none.
func (a *Assistant) magicAt(source string, at int) *magics.Use {
	uses, _ := magics.Find(source[:at], a.known)
	if len(uses) == 0 {
		return nil
	}
	m := uses[len(uses)-1]
	end := m.End
	if m.Kind != nil && !m.Whole && m.Name != "bash" {
		end = max(end, m.ArgumentEnd)
	}
	// Blanks after a magic are still on its line.
	if strings.TrimLeft(source[end:at], " \t") != "" || m.Kind == &magics.QuestionKind {
		return nil
	}
	if m.Measures() {
		if statement := max(m.Statement, m.Argument); !m.Command && at >= statement && at > m.Start+len(m.Name)+1 {
			return nil
		}
	}
	return m
}

// completeMagic completes a magic before an offset. It returns the offset from which a candidate
// replaces the text, and whether the offset is in a magic.
func (a *Assistant) completeMagic(source string, at int) (start int, candidates []Candidate, ok bool) {
	if !magics.MayHold(source[:at]) {
		return at, nil, false
	}
	m := a.magicAt(source, at)
	if m == nil {
		return at, nil, false
	}
	text := source[m.Start:at]
	name := strings.TrimLeft(text, "%")
	switch {
	case strings.HasPrefix(text, "%") && name == m.Name:
		return m.Start, magicNames(text, strings.TrimSpace(source[:m.Start]) == ""), true
	case m.Kind == nil:
		return at, nil, true
	case m.Kind == &magics.ShellKind, m.Command, m.Name == "bash":
		start, candidates = a.paths(source, max(m.Argument, m.Start+1), at, false)
	case m.Kind.Files, m.Kind.Folders:
		if strings.Contains(source[m.Argument:at], "\n") {
			return at, nil, true
		}
		start, candidates = a.paths(source, m.Argument, at, m.Kind.Folders)
	case m.Kind.Names:
		start = at - len(source[m.Argument:at]) + strings.LastIndexAny(source[m.Argument:at], " \t") + 1
		candidates = a.declaredNames(source[start:at])
	case m.Name == "env":
		start = m.Argument
		for _, entry := range os.Environ() {
			if name, _, _ := strings.Cut(entry, "="); name != "" && strings.HasPrefix(name, source[start:at]) {
				candidates = append(candidates, Candidate{Text: name, Kind: "variable"})
			}
		}
		slices.SortFunc(candidates, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	case m.Name == "mod":
		start = m.Argument
		candidates = a.Modules(source[start:at])
	case m.Name == "strict", m.Name == "engine":
		start = at - len(strings.TrimLeft(source[m.Start+1+len(m.Name):at], " \t"))
		words := []string{"off", "on"}
		if m.Name == "engine" {
			words = program.ModeNames[:]
		}
		for _, word := range words {
			if strings.HasPrefix(word, source[start:at]) {
				candidates = append(candidates, Candidate{Text: word, Kind: "keyword"})
			}
		}
	default:
		start = at
	}
	return start, candidates, true
}

// magicNames returns the magics that begin with a text. It includes those of a whole cell only at
// the beginning of the cell.
func magicNames(text string, first bool) []Candidate {
	var out []Candidate
	offer := func(sign string, k magics.Kind) {
		if strings.HasPrefix(sign, text) || strings.HasPrefix(k.Name, strings.TrimPrefix(text, "%")) {
			out = append(out, Candidate{Text: sign, Kind: "magic", Signature: k.Usage})
		}
	}
	for _, k := range magics.Kinds {
		if k.Line {
			offer("%"+k.Name, k)
		}
	}
	for _, k := range magics.Kinds {
		if k.Cell && first {
			offer("%%"+k.Name, k)
		}
	}
	return out
}

// declaredNames returns the declared names that begin with prefix.
func (a *Assistant) declaredNames(prefix string) []Candidate {
	a.Mutex.Lock()
	defer a.Mutex.Unlock()
	var out []Candidate
	for name, d := range a.Checker.Session.Live {
		if d.Cell > 0 && strings.HasPrefix(name, prefix) {
			out = append(out, Candidate{Text: name, Kind: "name"})
		}
	}
	slices.SortFunc(out, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	return out
}

// paths completes the last word of source[from:at] as a file name.
func (a *Assistant) paths(source string, from, at int, folders bool) (int, []Candidate) {
	from = min(from, at)
	word := from + strings.LastIndexAny(source[from:at], " \t\n\"'=<>|;&(") + 1
	var out []Candidate
	for _, name := range fileNames(a.Folder(), source[word:at]) {
		if !folders || strings.HasSuffix(name, "/") {
			out = append(out, Candidate{Text: name, Kind: "path"})
		}
	}
	return word + strings.LastIndexByte(source[word:at], '/') + 1, out
}

// inspectMagic describes the magic whose name is at an offset or ends there, and reports whether
// the offset is in a magic at all.
func (a *Assistant) inspectMagic(source string, at int) (*program.Bundle, bool) {
	if !magics.MayHold(source) {
		return nil, false
	}
	uses, _ := magics.Find(source, a.known)
	for _, m := range uses {
		if at < m.Start || at > m.End {
			continue
		}
		asked := m.Kind == &magics.QuestionKind && source[m.Argument] == '%'
		var described *program.Bundle
		switch name := strings.TrimLeft(source[m.Start:m.End], "%"); {
		case asked:
			described, _ = magics.Describe(source[m.Argument:m.ArgumentEnd])
			return described, true
		case m.Kind == &magics.QuestionKind:
			return nil, false
		case m.Name != "" && at <= m.Start+(m.End-m.Start-len(name))+len(m.Name):
			described, _ = magics.Describe(m.Name)
			return described, true
		}
		if m.Statement <= at && at <= m.StatementEnd && m.Statement < m.StatementEnd && !m.Command {
			return nil, false
		}
		return nil, true
	}
	return nil, false
}
