package repl

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"net/url"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
)

// link returns a path that can be clicked.
func (l look) link(path string) string {
	if !l.control {
		return path
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	target := url.URL{Scheme: "file", Host: host, Path: path}
	return ansi.SetHyperlink(target.String()) + path + ansi.ResetHyperlink()
}

// drawerFor returns the function that draws pictures on a terminal, nil if it cannot.
func drawerFor(in, out *os.File) func(p picture, columns int) string {
	if !isTerminal(in) || !lookOf(out).control {
		return nil
	}
	switch protocolOf(os.Getenv) {
	case kittyProtocol:
		return drawKitty
	case itermProtocol:
		return drawITerm
	}
	return nil
}

// The protocols for pictures on terminals.
type protocol int

const (
	noProtocol protocol = iota
	kittyProtocol
	itermProtocol
)

// protocolOf determines the terminal's protocol from the environment.
func protocolOf(env func(string) string) protocol {
	name := env("TERM")
	if env("TMUX") != "" || strings.HasPrefix(name, "tmux") || strings.HasPrefix(name, "screen") {
		return noProtocol // these do not pass pictures on
	}
	switch {
	case name == "xterm-kitty" || name == "xterm-ghostty" || env("KITTY_WINDOW_ID") != "":
		return kittyProtocol
	case env("TERM_PROGRAM") == "iTerm.app" || env("LC_TERMINAL") == "iTerm2" || env("TERM_PROGRAM") == "WezTerm" || env("TERM_PROGRAM") == "mintty":
		return itermProtocol
	}
	return noProtocol
}

// cellWidth is the default width of a terminal column in pixels.
const cellWidth = 10

// columnsOf returns how many columns a picture takes: according to its pixels, up to most.
func columnsOf(width, most int) int { return max(1, min(most-1, width/cellWidth)) }

func drawKitty(p picture, columns int) string {
	img, _, err := image.Decode(bytes.NewReader(p.data))
	if err != nil {
		return ""
	}
	var b bytes.Buffer
	err = kitty.EncodeGraphics(&b, img, &kitty.Options{
		Action:       kitty.TransmitAndPut,
		Transmission: kitty.Direct,
		Format:       kitty.PNG,
		Quiet:        2,
		Chunk:        true,
		Columns:      columnsOf(img.Bounds().Dx(), columns),
	})
	if err != nil {
		return ""
	}
	return b.String()
}

func drawITerm(p picture, columns int) string {
	config, _, err := image.DecodeConfig(bytes.NewReader(p.data))
	if err != nil {
		return ""
	}
	return ansi.ITerm2(iterm2.File{
		Name:    "picture" + p.extension,
		Size:    int64(len(p.data)),
		Width:   iterm2.Cells(columnsOf(config.Width, columns)),
		Height:  iterm2.Auto,
		Inline:  true,
		Content: []byte(base64.StdEncoding.EncodeToString(p.data)),
	})
}
