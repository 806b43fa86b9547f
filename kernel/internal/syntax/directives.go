package syntax

import (
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"go/version"
	"strconv"
	"strings"
)

// A Directive is a comment of the form //go:name with a meaning for Go's tools.
type Directive struct {
	Offset int
	Text   string
}

// Verb returns the text between the colon and a blank.
func (d Directive) Verb() string {
	verb, _, _ := strings.Cut(strings.TrimPrefix(d.Text, "//go:"), " ")
	return verb
}

// Directives returns the directives of a text.
func Directives(text string) (found []Directive) {
	if !strings.Contains(text, "//go:") {
		return nil
	}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return found
		case tok == token.COMMENT && strings.HasPrefix(lit, "//go:"):
			found = append(found, Directive{file.Offset(pos), strings.TrimSpace(lit)})
		}
	}
}

// DirectivesBefore returns the directives of a text that apply to the declaration at an offset:
// only comments are in between.
func DirectivesBefore(text string, offset int) (found []Directive) {
	for _, d := range Directives(text[:offset]) {
		if len(Lex(text[d.Offset:offset])) == 1 {
			found = append(found, d)
		}
	}
	return found
}

// newLoops is the first version of Go in which each iteration of a loop has its own variables. A
// session has functions of many cells in one package, which has one language version.
const newLoops = "go1.22"

// applyDirectives records the version of Go that a program asks for, and reports directives that Go
// refuses.
func (p *Parsed) applyDirectives(complain func(offset int, msg string)) {
	text := p.Source.Text
	embeds := false
	for _, spec := range p.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		embeds = embeds || err == nil && path == "embed"
	}
	for _, d := range Directives(text) {
		switch verb := d.Verb(); {
		case verb == "build" && len(p.Items) > 0 && d.Offset < p.Items[0].Start:
			x, err := constraint.Parse(d.Text)
			if err != nil {
				continue
			}
			asked := constraint.GoVersion(x)
			if p.Source.Cell.Plain {
				p.GoVersion = asked
			} else if asked != "" && version.Compare(asked, newLoops) < 0 {
				complain(d.Offset, "cells have the loops of "+newLoops+", and this line asks for those of "+asked+". Remove it, or run the file as a program with hierml run")
			}
		case verb == "embed" && !embeds:
			complain(d.Offset, `go:embed only allowed in Go files that import "embed"`)
		case strings.HasPrefix(verb, "cgo_"):
			complain(d.Offset, d.Text+" only allowed in cgo-generated code")
		}
	}
}
