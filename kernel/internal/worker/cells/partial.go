package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/stdlib/host"
)

// Texts hold what is yet to be shown of the streams of a cell.
type Texts struct{ stdout, stderr Partial }

// Take calls show with what can be shown of data that was written to a stream, if that is anything.
// Notes are whole; what is neither they nor "stdout" is taken for "stderr".
func (t *Texts) Take(name string, data []byte, show func(name, text string)) {
	text := ""
	switch name {
	case "stdout":
		text = t.stdout.Take(data)
	case host.Notes:
		text = strings.ToValidUTF8(string(data), "\uFFFD")
	default:
		name, text = "stderr", t.stderr.Take(data)
	}
	if text != "" {
		show(name, text)
	}
}

// Flush calls show with what was held back.
func (t *Texts) Flush(show func(name, text string)) {
	if text := t.stdout.Rest(); text != "" {
		show("stdout", text)
	}
	if text := t.stderr.Rest(); text != "" {
		show("stderr", text)
	}
}

// A Partial holds the beginning of a UTF-8 sequence whose end is yet to come.
type Partial []byte

// Take returns the data, after what was held back before, up to its last whole UTF-8 sequence.
func (h *Partial) Take(data []byte) string {
	all := append(*h, data...)
	cut := len(all)
	for i := 1; i < utf8.UTFMax && i <= len(all); i++ {
		if start := len(all) - i; utf8.RuneStart(all[start]) {
			if !utf8.FullRune(all[start:]) {
				cut = start
			}
			break
		}
	}
	text := string(all[:cut])
	*h = append([]byte(nil), all[cut:]...)
	return text
}

// Rest returns what was held back.
func (h *Partial) Rest() string {
	text := string(*h)
	*h = nil
	return text
}
