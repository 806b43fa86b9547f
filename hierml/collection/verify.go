package collection

import (
	"context"
	"fmt"
	"html"
	"strings"

	"github.com/hierml/notebook/hierml/internal/download"
)

// Checked is what Verify found of a file.
type Checked struct {
	File
	Path string // "" if it is not here
	Got  string // the SHA-256 of what is there; "" where the catalogue has none to compare it with
}

// Right reports whether nothing speaks against the file: its sum is that of the catalogue, or there
// is none, or the file may be missing and is.
func (c Checked) Right() bool {
	return c.Path == "" && c.Optional || c.Path != "" && (c.SHA256 == "" || c.Got == c.SHA256)
}

func (c Checked) verdict() string {
	switch {
	case c.Path == "" && c.Optional:
		return "not here, and not needed"
	case c.Path == "":
		return "not here"
	case c.SHA256 == "":
		return "here; no sum is published"
	case c.Got == c.SHA256:
		return "right"
	}
	return fmt.Sprintf("WRONG: the SHA-256 is %s instead of %s", c.Got, c.SHA256)
}

// Verification is what Verify found of a data set.
type Verification struct {
	Name  string
	Files []Checked
}

// Right reports whether all files are.
func (v *Verification) Right() bool {
	for _, f := range v.Files {
		if !f.Right() {
			return false
		}
	}
	return true
}

// String is a line for each file.
func (v *Verification) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, v.Name)
	for _, f := range v.Files {
		name := f.Path
		if name == "" {
			name = f.Name
		}
		fmt.Fprintf(&b, "  %s: %s\n", name, f.verdict())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML is String as a table.
func (v *Verification) HTML() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table><caption>%s</caption>", html.EscapeString(v.Name))
	for _, f := range v.Files {
		fmt.Fprintf(&b, `<tr><td style="text-align:left">%s</td><td style="text-align:left">%s</td></tr>`, html.EscapeString(f.Name), html.EscapeString(f.verdict()))
	}
	b.WriteString("</table>")
	return b.String()
}

// Verify is VerifyContext without a context.
func Verify(name string) (*Verification, error) { return VerifyContext(context.Background(), name) }

// VerifyContext computes the check sums of the files of a data set of the catalogue, where Open
// would find them, and compares them with the published ones. Open itself does so only with what it
// downloads.
func VerifyContext(ctx context.Context, name string) (*Verification, error) {
	e := entry(name)
	if e == nil {
		return nil, fmt.Errorf("collection: no data set %q in the catalogue; it has %s", name, strings.Join(names(), ", "))
	}
	v := &Verification{Name: name}
	for _, f := range e.Files {
		c := Checked{File: f}
		var err error
		if c.Path, err = (Download{}).find(e, f); err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		if c.Path != "" && f.SHA256 != "" {
			if c.Got, err = download.Sum(ctx, c.Path); err != nil {
				return nil, fmt.Errorf("collection: %w", err)
			}
		}
		v.Files = append(v.Files, c)
	}
	return v, nil
}
