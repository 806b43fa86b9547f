package engine

import (
	"github.com/hierml/notebook/kernel/internal/program"
	"os"
	"slices"
	"strings"
)

// magicAt returns the magic whose text, without the Go behind it, an offset is
// in or ends; nil if there is none.
func magicAt(source string, at int) *magicUse {
	uses, _ := findMagics(source[:at])
	if len(uses) == 0 {
		return nil
	}
	m := uses[len(uses)-1]
	end := m.end
	if m.kind != nil && !m.whole && m.name != "bash" {
		end = max(end, m.argumentEnd)
	}
	// Blanks behind a magic are still on its line.
	if strings.TrimLeft(source[end:at], " \t") != "" || m.kind == &questionKind {
		return nil
	}
	if m.name == "time" || m.name == "timeit" {
		if statement := max(m.statement, m.argument); !m.command && at >= statement && at > m.start+len(m.name)+1 {
			return nil
		}
	}
	return m
}

// completeMagic completes what is no Go before an offset. It returns from where
// on a candidate replaces the text, and whether the offset is in a magic.
func (a *assistant) completeMagic(source string, at int) (start int, candidates []Candidate, ok bool) {
	if !mayHoldMagics(source[:at]) {
		return at, nil, false
	}
	m := magicAt(source, at)
	if m == nil {
		return at, nil, false
	}
	text := source[m.start:at]
	name := strings.TrimLeft(text, "%")
	switch {
	case strings.HasPrefix(text, "%") && name == m.name:
		return m.start, magicNames(text, strings.TrimSpace(source[:m.start]) == ""), true
	case m.kind == nil:
		return at, nil, true
	case m.kind == &shellKind, m.command, m.name == "bash":
		start, candidates = a.paths(source, max(m.argument, m.start+1), at, false)
	case m.kind.files, m.kind.folders:
		if strings.Contains(source[m.argument:at], "\n") {
			return at, nil, true
		}
		start, candidates = a.paths(source, m.argument, at, m.kind.folders)
	case m.name == "env":
		start = m.argument
		for _, entry := range os.Environ() {
			if name, _, _ := strings.Cut(entry, "="); name != "" && strings.HasPrefix(name, source[start:at]) {
				candidates = append(candidates, Candidate{Text: name, Kind: "variable"})
			}
		}
		slices.SortFunc(candidates, func(a, b Candidate) int { return strings.Compare(a.Text, b.Text) })
	case m.name == "mod":
		start = m.argument
		candidates = a.modules(source[start:at])
	case m.name == "strict", m.name == "engine":
		start = at - len(strings.TrimLeft(source[m.start+1+len(m.name):at], " \t"))
		words := []string{"off", "on"}
		if m.name == "engine" {
			words = modeNames[:]
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

// magicNames returns the magics that begin like a text; those of a whole cell
// only where the cell begins.
func magicNames(text string, first bool) []Candidate {
	var out []Candidate
	offer := func(sign string, k magicKind) {
		if strings.HasPrefix(sign, text) || strings.HasPrefix(k.name, strings.TrimPrefix(text, "%")) {
			out = append(out, Candidate{Text: sign, Kind: "magic", Signature: k.usage})
		}
	}
	for _, k := range magicKinds {
		if k.line {
			offer("%"+k.name, k)
		}
	}
	for _, k := range magicKinds {
		if k.cell && first {
			offer("%%"+k.name, k)
		}
	}
	return out
}

// paths completes the last word of source[from:at] as the name of a file.
func (a *assistant) paths(source string, from, at int, folders bool) (int, []Candidate) {
	from = min(from, at)
	word := from + strings.LastIndexAny(source[from:at], " \t\n\"'=<>|;&(") + 1
	var out []Candidate
	for _, name := range fileNames(a.folder(), source[word:at]) {
		if !folders || strings.HasSuffix(name, "/") {
			out = append(out, Candidate{Text: name, Kind: "path"})
		}
	}
	return word + strings.LastIndexByte(source[word:at], '/') + 1, out
}

// inspectMagic describes the magic whose name an offset is in or ends, and
// reports whether it is in a magic at all.
func inspectMagic(source string, at int) (*program.Bundle, bool) {
	if !mayHoldMagics(source) {
		return nil, false
	}
	uses, _ := findMagics(source)
	for _, m := range uses {
		if at < m.start || at > m.end {
			continue
		}
		asked := m.kind == &questionKind && source[m.argument] == '%'
		switch name := strings.TrimLeft(source[m.start:m.end], "%"); {
		case asked:
			return describeMagic(source[m.argument:m.argumentEnd]), true
		case m.kind == &questionKind:
			return nil, false
		case m.name != "" && at <= m.start+(m.end-m.start-len(name))+len(m.name):
			return describeMagic(m.name), true
		}
		if m.statement <= at && at <= m.statementEnd && m.statement < m.statementEnd && !m.command {
			return nil, false
		}
		return nil, true
	}
	return nil, false
}

// magicsComplete tells, as IsComplete does, whether a cell with magics is whole
// as far as they are concerned, and what Go is left of it. A cell that is a
// script or the text of a file ends with an empty line.
func magicsComplete(source string) (status, rest string) {
	uses, _ := findMagics(source)
	if len(uses) == 0 {
		return "", source
	}
	last := source[strings.LastIndexByte(source, '\n')+1:]
	blank := strings.TrimSpace(last) == "" && strings.Contains(source, "\n")
	m := uses[0]
	if m.whole && (m.kind == nil || m.end == len(source)) {
		if blank {
			return "complete", ""
		}
		return "incomplete", ""
	}
	rest = withoutMagics(source)
	if strings.TrimSpace(rest) == "" {
		if m.whole && !blank {
			return "incomplete", ""
		}
		return "complete", ""
	}
	return "", rest
}
