// Package markdown writes a notebook as Markdown for GitHub: text unchanged, code in fences, and
// the stored outputs.
package markdown

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/hierml/notebook/internal/notebook"
)

// A Place stores a picture under a name and returns its address for the Markdown.
type Place func(name, mime string, data []byte) (string, error)

// Inline makes pictures part of the Markdown.
func Inline(_, mime string, data []byte) (string, error) {
	return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data), nil
}

// Write writes a notebook. Pictures are named after their cells and outputs.
func Write(w io.Writer, nb *notebook.Notebook, place Place) error {
	m := &writer{w: bufio.NewWriter(w), place: place}
	language := "go"
	if info, ok := nb.Metadata["kernelspec"].(map[string]any); ok {
		if name, ok := info["language"].(string); ok && languageName.MatchString(name) {
			language = name
		}
	}
	for i, c := range nb.Cells {
		if err := m.cell(i, c, language); err != nil {
			return fmt.Errorf("cells[%d]: %w", i, err)
		}
	}
	return m.w.Flush()
}

// languageName matches text that is safe after a fence.
var languageName = regexp.MustCompile(`^[A-Za-z0-9+#._-]{0,40}$`)

type writer struct {
	w     *bufio.Writer // remembers its first error until Flush
	place Place
	begun bool
}

// block writes a block, with an empty line before it.
func (m *writer) block(text string) {
	text = strings.Trim(text, "\n")
	if text == "" {
		return
	}
	if m.begun {
		m.w.WriteString("\n")
	}
	m.begun = true
	m.w.WriteString(text + "\n")
}

// fenced writes text in a fence that is longer than any in the text.
func (m *writer) fenced(text, language string) {
	if text = strings.Trim(text, "\n"); strings.TrimSpace(text) == "" {
		return
	}
	longest, run := 2, 0
	for _, c := range []byte(text) {
		if c != '`' {
			run = -1
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	m.block(fence + language + "\n" + text + "\n" + fence)
}

func (m *writer) cell(i int, c *notebook.Cell, language string) error {
	switch c.Kind {
	case notebook.Markdown:
		text, err := m.attached(i, c)
		if err != nil {
			return err
		}
		m.block(text)
	case notebook.Code:
		m.fenced(c.Source, language)
		for j, o := range c.Outputs {
			if err := m.output(fmt.Sprintf("cell-%d-%d", i+1, j+1), o); err != nil {
				return fmt.Errorf("outputs[%d]: %w", j, err)
			}
		}
	default:
		m.fenced(c.Source, "")
	}
	return nil
}

// attachment matches the address of a picture in the cell.
var attachment = regexp.MustCompile(`attachment:([^\s)"'>]+)`)

// attached returns the Markdown of a cell with its attached pictures stored in their places.
func (m *writer) attached(i int, c *notebook.Cell) (string, error) {
	var failed error
	shown := make(map[string]int)
	text := attachment.ReplaceAllStringFunc(c.Source, func(address string) string {
		bundle, name := c.Attachment(strings.TrimPrefix(address, "attachment:"))
		if shown[name]++; shown[name] > notebook.ShownAttachments {
			return address
		}
		placed, err := m.picture(fmt.Sprintf("cell-%d-%s", i+1, plainName(name)), bundle)
		if err != nil {
			failed = err
		}
		if placed == "" {
			return address
		}
		return placed
	})
	return text, failed
}

// plainName removes the characters from a name that separate folders or parts of addresses.
func plainName(name string) string {
	name = regexp.MustCompile(`\.[A-Za-z]+$`).ReplaceAllString(name, "")
	return regexp.MustCompile(`[^A-Za-z0-9_-]+`).ReplaceAllString(name, "-")
}

// kinds are the types of pictures and the extensions of their files, the best first.
var kinds = [][2]string{{"image/png", ".png"}, {"image/svg+xml", ".svg"}, {"image/jpeg", ".jpg"}, {"image/gif", ".gif"}, {"image/webp", ".webp"}}

// picture stores the best picture of a bundle, and returns its address, empty if there is none.
func (m *writer) picture(name string, bundle map[string]any) (string, error) {
	for _, kind := range kinds {
		text, ok := bundle[kind[0]].(string)
		if !ok {
			continue
		}
		data := []byte(text)
		if kind[0] != "image/svg+xml" {
			var err error
			if data, err = base64.StdEncoding.DecodeString(strings.NewReplacer("\n", "", "\r", "").Replace(text)); err != nil {
				return "", fmt.Errorf("%s: %w", kind[0], err)
			}
		}
		return m.place(name+kind[1], kind[0], data)
	}
	return "", nil
}

func (m *writer) output(name string, o *notebook.Output) error {
	switch o.Kind {
	case notebook.Stream:
		m.fenced(notebook.Plain(o.Text), "text")
		return nil
	case notebook.Failure:
		lines := strings.Join(o.Traceback, "\n")
		if lines == "" {
			lines = o.ErrorName + ": " + o.ErrorValue
		}
		m.fenced(notebook.Plain(lines), "text")
		return nil
	}
	address, err := m.picture(name, o.Data)
	if err != nil {
		return err
	}
	get := func(mime string) string {
		text, _ := o.Data[mime].(string)
		return text
	}
	plain := notebook.Plain(get("text/plain"))
	switch {
	case address != "":
		m.block("![" + label(plain) + "](" + address + ")")
	case get("text/markdown") != "":
		m.block(get("text/markdown"))
	case plain != "":
		// GitHub removes most of the HTML: the text is aligned, and can be copied.
		m.fenced(plain, "text")
	case get("text/html") != "":
		m.block(blankLine.ReplaceAllString(get("text/html"), "\n"))
	case get("text/latex") != "":
		m.block("$$\n" + strings.Trim(get("text/latex"), "$\n ") + "\n$$")
	case o.Data["application/json"] != nil:
		text, err := notebook.Indented(o.Data["application/json"])
		if err != nil {
			return err
		}
		m.fenced(text, "json")
	}
	return nil
}

// blankLine matches a blank line, which would end HTML in Markdown.
var blankLine = regexp.MustCompile(`\n\s*\n`)

// label returns the first line of a text, as an alternative text of a picture.
func label(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.NewReplacer("[", "(", "]", ")", `\`, "").Replace(text)
}
