package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"sync"

	"github.com/hierml/notebook/internal/notebook"
)

// reveal.js 6.0.2 shows slides, as its authors have published it, under the MIT licence beside it.
var (
	//go:embed reveal.js
	revealScript string
	//go:embed reveal.css
	revealStyle string
)

// slidesScript starts reveal.js, and opens the window of the speaker notes.
//
//go:embed slides.js
var slidesScript string

//go:embed slides.css
var slidesStyle string

//go:embed slides.html
var slidesLayout string

var slidesPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("slides").Parse(slidesLayout)) })

// deck is what the layout of slides shows.
type deck struct {
	Title  string
	Slides []slide
}

// Style is that of all slides.
func (deck) Style() template.CSS { return template.CSS(revealStyle + style + slidesStyle) }

// Scripts are the only ones that a browser runs on the page.
func (deck) Scripts() []template.JS {
	return []template.JS{template.JS(revealScript), template.JS(slidesScript)}
}

// Policy allows the scripts by their hashes, and nothing that the notebook brings.
func (d deck) Policy() string {
	policy := "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; script-src"
	for _, script := range d.Scripts() {
		hash := sha256.Sum256([]byte(script))
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	return policy
}

// A slide is what is seen at once.
type slide struct {
	Title  string // of the section that the slide continues
	Blocks []block
	Notes  []template.HTML
}

// headed matches text that begins with a heading of the first or second level.
var headed = regexp.MustCompile(`^\s*##? `)

// WriteSlides writes a notebook as a page with slides for reveal.js, which is part of the page. As
// in JupyterLab and nbconvert, the metadata "slideshow" of cells says where slides begin, "slide"
// or "subslide", which cells are omitted, "skip", and which are speaker notes, "notes". If no cell
// has such metadata, a slide begins at each heading of the first two levels.
func WriteSlides(w io.Writer, nb *notebook.Notebook, title string) error {
	said := slices.ContainsFunc(nb.Cells, func(c *notebook.Cell) bool { return slideType(c) != "" })
	text, language := newMarkdown(newIDs("")), languageOf(nb)
	var sections []section
	for k, c := range nb.Cells {
		kind := slideType(c)
		if kind == "skip" {
			continue
		}
		blocks, err := makeBlocks(c, language, text)
		if err != nil {
			return fmt.Errorf("cells[%d]: %w", k, err)
		}
		for i := range blocks {
			switch kind {
			case "notes":
				blocks[i].Kind = noteBlock
			case "fragment":
				blocks[i].Step = k + 1
			}
		}
		switch begins := kind == "slide" || !said && c.Kind == notebook.Markdown && headed.MatchString(c.Source); {
		case begins || len(sections) == 0:
			sections = append(sections, section{blocks})
		case kind == "subslide":
			last := &sections[len(sections)-1]
			*last = append(*last, blocks)
		default:
			last := sections[len(sections)-1]
			last[len(last)-1] = append(last[len(last)-1], blocks...)
		}
	}
	shown := deck{Title: titleOf(nb, title)}
	for _, s := range sections {
		shown.Slides = append(shown.Slides, s.slides()...)
	}
	if len(shown.Slides) == 0 {
		return errors.New("the notebook has no cells for slides")
	}
	return slidesPage().Execute(w, shown)
}

// slideType returns a cell's slide type, empty if it has none.
func slideType(c *notebook.Cell) string {
	show, _ := c.Metadata["slideshow"].(map[string]any)
	kind, _ := show["slide_type"].(string)
	return kind
}
