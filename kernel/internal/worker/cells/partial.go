package cells

import "unicode/utf8"

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
