package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/stdlib/host"
)

// Texts hold the incomplete ends of the streams of a cell.
type Texts struct{ stdout, stderr Partial }

// Take calls show with the complete text of data that was written to a stream, unless that is
// empty. Notes are always complete. A name other than notes and "stdout" means "stderr".
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

// Flush calls show with the text that was held back.
func (t *Texts) Flush(show func(name, text string)) {
	if text := t.stdout.Rest(); text != "" {
		show("stdout", text)
	}
	if text := t.stderr.Rest(); text != "" {
		show("stderr", text)
	}
}

// A Partial holds the beginning of an incomplete UTF-8 sequence.
type Partial []byte

// Take returns the held-back bytes followed by the data, up to the last complete UTF-8 sequence.
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
