package state

// empty reports whether no cell has declared anything that is live.
func (s *Session) Empty() bool {
	for _, d := range s.Live {
		if d.Cell > 0 {
			return false
		}
	}
	return true
}
