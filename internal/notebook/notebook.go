// Package notebook reads and writes Jupyter notebooks (nbformat 4) without Jupyter. It writes files
// exactly as Jupyter would, byte for byte, so that version control shows only real changes.
//
// The kernel's package rerun runs them; package page makes a web page of a notebook.
package notebook

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
)

// The version of the format to write.
const (
	Major = 4
	Minor = 5
)

// A Notebook is the content of an .ipynb file. JSON values without a field here are stored in the
// form of encoding/json, with numbers as json.Number.
type Notebook struct {
	Metadata map[string]any
	Cells    []*Cell
	// Minor is the minor version of the file; Write raises it to 5.
	Minor int
	// Extra holds fields that the format does not define.
	Extra map[string]any
}

// The kinds of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// A Cell is one cell.
type Cell struct {
	Kind     string // Code, Markdown or Raw
	ID       string // empty in files older than 4.5; Write adds one
	Source   string
	Metadata map[string]any
	// Attachments maps file names to MIME bundles; nil if there are none.
	Attachments map[string]any
	// Count and Outputs are for code cells; Count is 0 for a cell that has not run.
	Count   int
	Outputs []*Output
	Extra   map[string]any
}

// ShownAttachments bounds how often an export shows an image attached to a cell, since the text can
// refer to it any number of times.
const ShownAttachments = 10

// Attachment returns the MIME bundle that is attached under a name in the cell's text, and its
// actual name.
func (c *Cell) Attachment(name string) (bundle map[string]any, plain string) {
	if unescaped, err := url.PathUnescape(name); err == nil {
		name = unescaped
	}
	bundle, _ = c.Attachments[name].(map[string]any)
	return bundle, name
}

// The kinds of outputs.
const (
	Stream  = "stream"
	Display = "display_data"
	Result  = "execute_result"
	Failure = "error"
)

// An Output is one output of a code cell.
type Output struct {
	Kind string // Stream, Display, Result or Failure

	// Of a Stream: "stdout" or "stderr", and the text.
	Name, Text string

	// Of a Display and a Result. Data is a MIME bundle: text and base64 as strings, JSON as itself.
	Data     map[string]any
	Metadata map[string]any
	Count    int // of a Result

	// Of a Failure. The traceback's lines may have ANSI colours.
	ErrorName, ErrorValue string
	Traceback             []string

	Extra map[string]any
}

// The tags of cells with a meaning for runs, as in Jupyter's own programs and papermill.
const (
	RaisesException = "raises-exception" // the cell may fail
	SkipExecution   = "skip-execution"   // the cell does not run

	// the cell declares the parameters of the notebook
	Parameters         = "parameters"
	InjectedParameters = "injected-parameters" // the cell sets the parameters, and was inserted after that one
)

// Tagged reports whether the cell has a tag.
func (c *Cell) Tagged(tag string) bool {
	tags, _ := c.Metadata["tags"].([]any)
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}

// nameCells gives each cell without an identifier one in Jupyter's form. It depends only on the
// notebook, so that version control does not see a different one each time.
func (nb *Notebook) nameCells() {
	taken := map[string]bool{}
	for _, c := range nb.Cells {
		taken[c.ID] = true
	}
	for i, c := range nb.Cells {
		for try := 0; c.ID == ""; try++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", i, try, c.Source))
			if id := hex.EncodeToString(sum[:4]); !taken[id] {
				c.ID, taken[id] = id, true
			}
		}
	}
}

// A FormatError describes an error in a notebook file and its position.
type FormatError struct {
	File         string
	Line, Column int    // from 1; columns count bytes
	Path         string // such as "cells[3].outputs[0]"; empty for the whole
	Msg          string
}

func (e *FormatError) Error() string {
	where := fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	if e.Path != "" {
		where += e.Path + ": "
	}
	return where + e.Msg
}
