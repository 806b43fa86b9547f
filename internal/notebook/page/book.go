package page

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/hierml/notebook/internal/notebook"
)

// Part is a notebook of a book. Others link to it by its path, with slashes.
type Part struct {
	Path     string
	Notebook *notebook.Notebook
}

// WriteBook writes one page of several notebooks, in this order, after a table of contents. Links
// from one notebook to another lead to it in the page. If a paragraph is only a link to a later
// notebook, such as the solutions of exercises, that notebook is folded after the cell: it opens
// with a click, and on paper.
func WriteBook(w io.Writer, parts []Part, title string) error {
	b := newBook(parts)
	shown := content{Title: title}
	for _, p := range b.pages {
		if p.folded {
			continue
		}
		text := newMarkdown(b.ids.below(p.id))
		text.place = &place{book: b, page: p, folds: true}
		cells, err := p.cells(text)
		if err != nil {
			return err
		}
		p.written = true
		shown.Chapters = append(shown.Chapters, chapter{ID: p.id, Cells: cells})
		shown.Contents = append(shown.Contents, contentsOf(p, text.headings)...)
	}
	return page().Execute(w, shown)
}

// contentsOf returns the entries of a notebook in the table of contents: its name, by its first
// heading, and its sections.
func contentsOf(p *bound, headings []heading) []heading {
	first := heading{Level: 1, ID: p.id, Text: strings.TrimSuffix(path.Base(p.Path), path.Ext(p.Path))}
	at := slices.IndexFunc(headings, func(h heading) bool { return h.Level == 1 })
	if at >= 0 {
		first.Text = headings[at].Text
	}
	list := []heading{first}
	for k, h := range headings {
		if k != at && h.Level <= 2 {
			list = append(list, heading{Level: 2, ID: h.ID, Text: h.Text})
		}
	}
	return list
}

// A book is notebooks bound into one page.
type book struct {
	ids    *ids
	pages  []*bound
	byPath map[string]*bound
}

// A bound notebook has its place in a book.
type bound struct {
	Part
	id      string
	written bool // written as a chapter
	folded  bool // folded after a cell of another
}

func newBook(parts []Part) *book {
	b := &book{ids: newIDs(""), byPath: make(map[string]*bound)}
	for _, p := range parts {
		id := b.ids.Generate([]byte(strings.TrimSuffix(p.Path, path.Ext(p.Path))), ast.KindDocument)
		bound := &bound{Part: p, id: string(id)}
		b.pages, b.byPath[path.Clean(p.Path)] = append(b.pages, bound), bound
	}
	return b
}

func (p *bound) cells(text *markdown) ([]cell, error) {
	cells, err := makeCells(p.Notebook, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	return cells, nil
}

// A place is the place of a text in a book.
type place struct {
	book  *book
	page  *bound
	folds bool // whether notebooks are folded after its cells
}

// settle makes the links of a text lead to their targets in the page, and returns the notebooks
// folded after the text.
func (p *place) settle(doc ast.Node, source []byte) ([]folded, error) {
	var behind []folded
	var taken []ast.Node
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		target, fragment := p.find(string(link.Destination))
		if target == nil {
			return ast.WalkContinue, nil
		}
		paragraph := link.Parent()
		alone := paragraph.Kind() == ast.KindParagraph && paragraph.ChildCount() == 1
		if alone && p.folds && target != p.page && !target.written && !target.folded {
			target.folded = true
			text := newMarkdown(p.book.ids.below(target.id))
			text.place = &place{book: p.book, page: target}
			cells, err := target.cells(text)
			if err != nil {
				return ast.WalkStop, err
			}
			behind = append(behind, folded{Name: plain(link, source), ID: target.id, Cells: cells})
			taken = append(taken, paragraph)
			return ast.WalkSkipChildren, nil
		}
		link.Destination = []byte("#" + target.id)
		if name := words(fragment); name != "" {
			link.Destination = []byte("#" + target.id + "-" + name)
		}
		return ast.WalkContinue, nil
	})
	for _, paragraph := range taken {
		paragraph.Parent().RemoveChild(paragraph.Parent(), paragraph)
	}
	return behind, err
}

// find returns the notebook of the book that a link of the text leads to, and the part after its
// number sign; nil for other links.
func (p *place) find(destination string) (*bound, string) {
	u, err := url.Parse(destination)
	if err != nil || u.IsAbs() || u.Host != "" {
		return nil, ""
	}
	if u.Path == "" {
		return p.page, u.Fragment
	}
	return p.book.byPath[path.Join(path.Dir(p.page.Path), u.Path)], u.Fragment
}
