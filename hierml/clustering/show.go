package clustering

import (
	"fmt"
	"html/template"
	"strings"
)

// What String and HTML show at most.
const (
	shownClusters = 30
	shownClasses  = 12 // of a cluster
	shownLinks    = 40
)

// page is what is shown of a dendrogram.
type page struct {
	Title         string
	Clusters      []pageCluster
	MoreClusters  int
	Links         []pageLink
	Head          string
	LinksNotShown int // before those shown
}

type pageCluster struct {
	Number int
	Names  string
}

type pageLink struct {
	Number        int
	A, B          string
	Height        string
	Size          int
	Inconsistency string
	Cut           bool
}

func (d *Dendrogram) page() page {
	p := page{
		Title: fmt.Sprintf("Dendrogram of %s by %v: %s, threshold of inconsistency %.4g",
			count(len(d.Classes), "class", "classes"), d.Linkage, count(len(d.Clusters), "cluster", "clusters"), d.Threshold),
		LinksNotShown: max(0, len(d.Links)-shownLinks),
		MoreClusters:  max(0, len(d.Clusters)-shownClusters),
	}
	if len(d.Empty) > 0 {
		p.Title += fmt.Sprintf("; %s without instances", count(len(d.Empty), "class", "classes"))
	}
	for i, cluster := range d.Clusters[:min(len(d.Clusters), shownClusters)] {
		var names []string
		for _, class := range cluster[:min(len(cluster), shownClasses)] {
			names = append(names, d.Classes[class])
		}
		if more := len(cluster) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("… %d more", more))
		}
		p.Clusters = append(p.Clusters, pageCluster{i + 1, strings.Join(names, ", ")})
	}
	for t := p.LinksNotShown; t < len(d.Links); t++ {
		l := d.Links[t]
		p.Links = append(p.Links, pageLink{
			Number: t, A: d.label(l.A), B: d.label(l.B), Height: fmt.Sprintf("%.5g", l.Height), Size: l.Size,
			Inconsistency: fmt.Sprintf("%.4f", d.Inconsistency[t]), Cut: d.Cut[t],
		})
	}
	return p
}

// label names a class, or the link that made a cluster.
func (d *Dendrogram) label(cluster int) string {
	if cluster < len(d.Classes) {
		return d.Classes[cluster]
	}
	return fmt.Sprintf("link %d", cluster-len(d.Classes))
}

// String returns the clusters and the last links.
func (d *Dendrogram) String() string {
	if err := d.Check(); err != nil {
		return err.Error() + "\n"
	}
	p := d.page()
	var b strings.Builder
	fmt.Fprintln(&b, p.Title)
	for _, c := range p.Clusters {
		fmt.Fprintf(&b, "cluster %d: %s\n", c.Number, c.Names)
	}
	if p.MoreClusters > 0 {
		fmt.Fprintf(&b, "… %s more\n", count(p.MoreClusters, "cluster", "clusters"))
	}
	if len(p.Links) == 0 {
		return b.String()
	}
	if p.LinksNotShown > 0 {
		fmt.Fprintf(&b, "the last %d of %d links:\n", len(p.Links), len(d.Links))
	}
	fmt.Fprintf(&b, "%4s %10s %5s %13s\n", "link", "height", "size", "inconsistency")
	for _, l := range p.Links {
		mark := " "
		if l.Cut {
			mark = "×"
		}
		fmt.Fprintf(&b, "%4d %10s %5d %13s %s %s + %s\n", l.Number, l.Height, l.Size, l.Inconsistency, mark, l.A, l.B)
	}
	return b.String()
}

var pageTemplate = template.Must(template.New("dendrogram").Parse(`<div class="hierml-dendrogram">
<div>{{.Title}}</div>
<table style="border-collapse:collapse">
<thead><tr style="border-bottom:1px solid"><th style="text-align:left;padding:2px 12px 2px 4px">cluster</th><th style="text-align:left;padding:2px 4px">classes</th></tr></thead>
<tbody>
{{- range .Clusters}}
<tr><td style="text-align:left;padding:2px 12px 2px 4px">{{.Number}}</td><td style="text-align:left;padding:2px 4px">{{.Names}}</td></tr>
{{- end}}
{{- if .MoreClusters}}
<tr><td></td><td style="text-align:left;padding:2px 4px">… {{.MoreClusters}} more</td></tr>
{{- end}}
</tbody>
</table>
{{- if .Links}}
<details><summary>links{{if .LinksNotShown}}, the last of them{{end}}</summary>
<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">
<thead><tr style="border-bottom:1px solid"><th style="padding:2px 4px">link</th><th style="text-align:left;padding:2px 12px">merges</th><th style="padding:2px 4px">height</th><th style="padding:2px 4px">size</th><th style="padding:2px 4px">inconsistency</th><th style="padding:2px 4px">cut</th></tr></thead>
<tbody>
{{- range .Links}}
<tr><td style="text-align:right;padding:2px 4px">{{.Number}}</td><td style="text-align:left;padding:2px 12px">{{.A}} + {{.B}}</td><td style="text-align:right;padding:2px 4px">{{.Height}}</td><td style="text-align:right;padding:2px 4px">{{.Size}}</td><td style="text-align:right;padding:2px 4px">{{.Inconsistency}}</td><td style="text-align:center;padding:2px 4px">{{if .Cut}}×{{end}}</td></tr>
{{- end}}
</tbody>
</table>
</details>
{{- end}}
</div>
`))

// HTML returns the clusters as a table, and the last links as one that opens.
func (d *Dendrogram) HTML() string {
	if err := d.Check(); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, d.page()); err != nil {
		return template.HTMLEscapeString(err.Error())
	}
	return b.String()
}

// HTML shows the model as it shows itself, and what it was translated to.
func (m *Translated) HTML() string {
	if shown, ok := m.Model.(interface{ HTML() string }); ok {
		return shown.HTML() + "<div>" + template.HTMLEscapeString(m.note()) + "</div>"
	}
	return "<pre>" + template.HTMLEscapeString(m.String()) + "</pre>"
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
