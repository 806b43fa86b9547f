package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"strings"
)

// A picture is compared by its rough appearance: in blocks, each of which is the mean of its
// pixels.
type picture struct {
	format        string
	width, height int
	blocks        [][3]float64 // red, green and blue from 0 to 1, row by row
}

// side is how many blocks a picture has in each direction.
const side = 48

// maxPoints bounds the decoded pictures: a small file can claim a size that fills the memory.
const maxPoints = 1 << 26

// far is the fraction of the drawing that may differ. A curve that ends a little earlier, with
// another scale below it, reaches a third; curves of other data differ by half and more.
const far = 0.35

// readPicture reads a picture in base64. A picture in an unknown format, or of more than maxPoints,
// is compared by its text.
func readPicture(data string) part {
	raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\n", "", "\r", "").Replace(data))
	if err != nil {
		return part{text: data}
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || config.Width*config.Height > maxPoints { // neither side has more than 31 bits
		return part{text: data}
	}
	img, format, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return part{text: data}
	}
	size := img.Bounds()
	p := &picture{format: format, width: size.Dx(), height: size.Dy(), blocks: make([][3]float64, side*side)}
	counts := make([]float64, side*side)
	for y := range p.height {
		for x := range p.width {
			block := y*side/p.height*side + x*side/p.width
			r, g, b, a := img.At(size.Min.X+x, size.Min.Y+y).RGBA()
			// On white, as on a page.
			white := float64(0xffff-a) / 0xffff
			for i, c := range [3]uint32{r, g, b} {
				p.blocks[block][i] += float64(c)/0xffff + white
			}
			counts[block]++
		}
	}
	for i := range p.blocks {
		for j := range p.blocks[i] {
			p.blocks[i][j] /= max(counts[i], 1)
		}
	}
	return part{picture: p}
}

// readSVG reads the size of an SVG, and its words.
func readSVG(source string) part {
	dec := xml.NewDecoder(strings.NewReader(source))
	dec.Strict = false
	var lines []string
	for {
		t, err := dec.Token()
		if err != nil {
			return part{text: strings.Join(lines, "\n")}
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local != "svg" {
				continue
			}
			for _, a := range t.Attr {
				switch a.Name.Local {
				case "width", "height", "viewBox":
					lines = append(lines, a.Name.Local+" "+a.Value)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				lines = append(lines, text)
			}
		}
	}
}

// differs describes the difference of two pictures; it returns nothing if they are equal. One of
// them may be nil: it cannot be read.
func (p *picture) differs(now *picture) string {
	switch {
	case p == nil:
		return "the stored picture cannot be read, now it is a " + strings.ToUpper(now.format)
	case now == nil:
		return fmt.Sprintf("the stored picture is a %s, now it cannot be read", strings.ToUpper(p.format))
	case p.format != now.format:
		return fmt.Sprintf("the stored picture is a %s, now it is a %s", strings.ToUpper(p.format), strings.ToUpper(now.format))
	case p.width != now.width || p.height != now.height:
		return fmt.Sprintf("the stored picture has %d x %d points, now it has %d x %d", p.width, p.height, now.width, now.height)
	}
	if d := p.distance(now); d > far {
		return fmt.Sprintf("the picture looks different: %.0f %% of the drawing", 100*d)
	}
	return ""
}

// distance returns the fraction of the drawing that is only in one of two pictures of the same
// size, from 0 to 1.
func (p *picture) distance(now *picture) float64 {
	ground, other := p.ground(), now.ground()
	changed, drawn := apart(ground, other)*float64(len(p.blocks)), 0.0
	for i, a := range p.blocks {
		b := now.blocks[i]
		changed += apart(a, b)
		drawn += max(apart(a, ground), apart(b, ground))
	}
	if drawn == 0 {
		return 0
	}
	return min(1, changed/drawn)
}

// ground returns the colour of most blocks, the background.
func (p *picture) ground() [3]float64 {
	counts := map[[3]float64]int{}
	var most [3]float64
	for _, b := range p.blocks {
		if counts[b]++; counts[b] > counts[most] {
			most = b
		}
	}
	return most
}

func apart(a, b [3]float64) float64 {
	sum := 0.0
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum / 3
}
