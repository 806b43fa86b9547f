package repl

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/hierml/notebook/internal/temporary"
	"github.com/hierml/notebook/kernel/internal/program"
)

// A picture is a picture in a bundle.
type picture struct {
	mime, extension string
	data            []byte
}

// pictureKinds are the types of pictures; those that terminals can draw come first.
var pictureKinds = []picture{
	{mime: "image/png", extension: ".png"},
	{mime: "image/jpeg", extension: ".jpg"},
	{mime: "image/gif", extension: ".gif"},
	{mime: "image/svg+xml", extension: ".svg"},
}

// pictureOf returns the picture of a bundle.
func pictureOf(bundle *program.Bundle) (picture, bool) {
	for _, p := range pictureKinds {
		switch data := bundle.Data[p.mime].(type) {
		case []byte:
			p.data = data
		case string:
			p.data = []byte(data)
		}
		if len(p.data) > 0 {
			return p, true
		}
	}
	return picture{}, false
}

// pictures stores the pictures of a session in a separate folder. The folder stays after the
// session, so that the user can open them, until the user's next session begins.
type pictures struct {
	// draw returns the drawing of a picture in a number of columns, empty if it cannot be drawn;
	// nil if the terminal draws none.
	draw func(p picture, columns int) string

	mu     sync.Mutex
	folder string // made with the first picture
}

// save writes a picture to a file with a name, and returns its path.
func (p *pictures) save(name string, data []byte) (path string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.folder == "" {
		if p.folder, err = temporary.Folder("", "pictures"); err != nil {
			return "", err
		}
	}
	path = filepath.Join(p.folder, name)
	return path, os.WriteFile(path, data, 0o600)
}

// drawing returns the drawing of a picture, or an empty text.
func (p *pictures) drawing(shown picture, columns int) string {
	if p.draw == nil {
		return ""
	}
	return strings.TrimSuffix(p.draw(shown, columns), "\n")
}
