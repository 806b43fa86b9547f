package syntax

// inCell returns problems with the Go of a cell as those of the cell.
func (s *Source) InCell(problems []Problem) []Problem {
	for i, p := range problems {
		if p.Source == s && s.Of != nil {
			problems[i] = Problem{Source: s.Of, Offset: s.Of.Origin(p.Offset), Msg: p.Msg}
		}
	}
	return problems
}
