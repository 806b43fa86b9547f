package experiment

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hierml/notebook/internal/table"
)

// String returns the summary as text, with the notes below.
func (r *Results) String() string { return r.Summary().String() }

// HTML returns the summary as a table, with the notes below.
func (r *Results) HTML() string { return r.Summary().HTML() }

// LaTeX returns the summary as a table for the package booktabs.
func (r *Results) LaTeX() string { return r.Summary().LaTeX() }

// headings of the columns before the measures, of those that the summary needs.
func (s *Summary) headings() []string {
	var heads []string
	data, sizes, points := "", false, false
	several := false
	for i, r := range s.Rows {
		several = several || i > 0 && r.Data != data
		data = r.Data
		sizes = sizes || r.PerClass > 0
		points = points || r.Point != ""
	}
	if several {
		heads = append(heads, "data")
	}
	if sizes {
		heads = append(heads, "per class")
	}
	heads = append(heads, "method")
	if points {
		heads = append(heads, "settings")
	}
	return append(heads, "rounds")
}

// under returns the texts of a row under headings.
func (r *Row) under(heads []string) []string {
	texts := make([]string, len(heads))
	for i, head := range heads {
		switch head {
		case "data":
			texts[i] = r.Data
		case "per class":
			texts[i] = strconv.Itoa(r.PerClass)
		case "method":
			texts[i] = r.Method
			if r.LearnedLittle > 0 {
				texts[i] += " " + dagger
			}
		case "settings":
			texts[i] = r.Point
		case "rounds":
			texts[i] = strconv.Itoa(r.Rounds)
			if r.Failed > 0 {
				texts[i] += fmt.Sprintf(", %d failed", r.Failed)
			}
		}
	}
	return texts
}

func arrow(measure string) string {
	if lower(measure) {
		return "↓"
	}
	return "↑"
}

// String returns the table as aligned text, with "best" at the best values, and the notes.
func (s *Summary) String() string {
	heads := s.headings()
	table := [][]string{append([]string(nil), heads...)}
	for _, m := range s.Measures {
		table[0] = append(table[0], m+" "+arrow(m))
	}
	for i := range s.Rows {
		line := s.Rows[i].under(heads)
		for k, v := range s.Rows[i].Values {
			line = append(line, v.text(s.Measures[k])+v.mark())
		}
		table = append(table, line)
	}
	widths := make([]int, len(table[0]))
	for _, line := range table {
		for k, text := range line {
			widths[k] = max(widths[k], utf8.RuneCountInString(text))
		}
	}
	var b strings.Builder
	if s.Name != "" {
		fmt.Fprintln(&b, s.Name)
	}
	for _, line := range table {
		var l strings.Builder
		for k, text := range line {
			if k > 0 {
				l.WriteString("  ")
			}
			l.WriteString(text + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(text)))
		}
		fmt.Fprintln(&b, strings.TrimRight(l.String(), " "))
	}
	for _, note := range s.below() {
		fmt.Fprintln(&b, note)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// HTML returns the table with the best values in bold, and the notes.
func (s *Summary) HTML() string {
	heads := s.headings()
	var b strings.Builder
	b.WriteString(`<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">`)
	if s.Name != "" {
		fmt.Fprintf(&b, "<caption>%s</caption>", html.EscapeString(s.Name))
	}
	b.WriteString("\n<thead><tr style=\"border-bottom:1px solid\">")
	for _, h := range heads {
		fmt.Fprintf(&b, `<th style="text-align:left;padding:2px 8px">%s</th>`, html.EscapeString(h))
	}
	for _, m := range s.Measures {
		fmt.Fprintf(&b, `<th style="text-align:right;padding:2px 8px">%s&nbsp;%s</th>`, html.EscapeString(m), arrow(m))
	}
	b.WriteString("</tr></thead>\n<tbody>\n")
	for i := range s.Rows {
		b.WriteString("<tr>")
		for _, text := range s.Rows[i].under(heads) {
			fmt.Fprintf(&b, `<td style="text-align:left;padding:2px 8px">%s</td>`, html.EscapeString(text))
		}
		for k, v := range s.Rows[i].Values {
			m := s.Measures[k]
			text := html.EscapeString(figure(m, v.Mean))
			if v.Best {
				text = "<strong>" + text + "</strong>"
			}
			if !math.IsNaN(v.Deviation) {
				text += "&nbsp;±&nbsp;" + figure(m, v.Deviation)
			}
			title := ""
			if v.Tested {
				text += "<br><small>" + html.EscapeString(v.effect(m)+probability(v.p())) + "</small>"
				title = ` title="` + html.EscapeString(s.difference(&s.Rows[i], k)) + `"`
			}
			fmt.Fprintf(&b, `<td style="text-align:right;padding:2px 8px"%s>%s</td>`, title, text)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n")
	for _, note := range s.below() {
		fmt.Fprintf(&b, "<p style=\"margin:2px 8px\"><small>%s</small></p>\n", html.EscapeString(note))
	}
	return b.String()
}

// difference says how a value differs from that of the baseline.
func (s *Summary) difference(row *Row, k int) string {
	t := row.Values[k].Test
	how := "does not differ from"
	switch {
	case t.Difference > 0:
		how = fmt.Sprintf("is %.4g higher than", t.Difference)
	case t.Difference < 0:
		how = fmt.Sprintf("is %.4g lower than", -t.Difference)
	}
	corrected := ""
	if p := row.Values[k].p(); p != t.P {
		corrected = ", " + probability(p) + " by Holm's correction"
	}
	return fmt.Sprintf("%s of %s %s that of %s, over %d pairs; %s by %s%s", s.Measures[k], row.Method, how, s.Baseline, t.N, probability(t.P), t.Name, corrected)
}

var latexText = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "±", `$\pm$`, "↑", `$\uparrow$`, "↓", `$\downarrow$`, "<", `$<$`, dagger, `$\dagger$`)

// LaTeX returns the table for the package booktabs, with the best values in bold; the notes are
// comments.
func (s *Summary) LaTeX() string {
	heads := s.headings()
	var b strings.Builder
	for _, note := range s.below() {
		fmt.Fprintf(&b, "%% %s\n", strings.ReplaceAll(note, "\n", " "))
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s%s}\n\\toprule\n", strings.Repeat("l", len(heads)), strings.Repeat("r", len(s.Measures)))
	line := make([]string, 0, len(heads)+len(s.Measures))
	for _, h := range heads {
		line = append(line, latexText.Replace(h))
	}
	for _, m := range s.Measures {
		line = append(line, latexText.Replace(m+" "+arrow(m)))
	}
	fmt.Fprintf(&b, "%s \\\\\n\\midrule\n", strings.Join(line, " & "))
	for i := range s.Rows {
		if i > 0 && s.Rows[i].group() != s.Rows[i-1].group() {
			b.WriteString("\\midrule\n")
		}
		line = line[:0]
		for _, text := range s.Rows[i].under(heads) {
			line = append(line, latexText.Replace(text))
		}
		for k, v := range s.Rows[i].Values {
			text := latexText.Replace(figure(s.Measures[k], v.Mean))
			if v.Best {
				text = `\textbf{` + text + "}"
			}
			if !math.IsNaN(v.Deviation) {
				text += ` $\pm$ ` + figure(s.Measures[k], v.Deviation)
			}
			if v.Tested {
				text += " (" + latexText.Replace(v.effect(s.Measures[k])+probability(v.p())) + ")"
			}
			line = append(line, text)
		}
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(line, " & "))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.String()
}

// CSV returns the summary with a row for every row and measure. p is as the test has it, holm
// corrected.
func (s *Summary) CSV() string {
	rows := [][]string{{"data", "per class", "method", "settings", "rounds", "failed", "measure", "mean", "deviation", "difference", "low", "high", "p", "holm", "test", "best"}}
	for i := range s.Rows {
		r := &s.Rows[i]
		for k, v := range r.Values {
			line := []string{r.Data, some(r.PerClass), r.Method, r.Point, strconv.Itoa(r.Rounds), strconv.Itoa(r.Failed), s.Measures[k], exact(v.Mean), exact(v.Deviation), "", "", "", "", "", "", strconv.FormatBool(v.Best)}
			if v.Tested {
				line[9], line[12], line[13], line[14] = exact(v.Test.Difference), exact(v.Test.P), exact(v.p()), v.Test.Name
				if in := v.Test.Interval; in.Level > 0 {
					line[10], line[11] = exact(in.Low), exact(in.High)
				}
			}
			rows = append(rows, line)
		}
	}
	return csvText(rows)
}

func csvText(rows [][]string) string {
	var b strings.Builder
	if err := table.WriteCSV(&b, rows); err != nil { // a strings.Builder takes all
		return err.Error()
	}
	return b.String()
}

// exact returns a number with all its digits, nothing for NaN.
func exact(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// some returns a number that 0 stands for none of.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
