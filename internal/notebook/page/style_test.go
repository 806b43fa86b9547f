package page

import "testing"

// TestHarmlessStyles holds that of style attributes that is left which can do nothing but format.
func TestHarmlessStyles(t *testing.T) {
	for _, test := range []struct{ html, want string }{
		{`<p style="color: red">x</p>`, `<p style="color: red">x</p>`},
		{`<p style=" COLOR :red;;text-align:right ; ">x</p>`, `<p style="color: red; text-align: right">x</p>`},
		{`<p style="color: red; position: fixed; margin: 0 auto 1.5em">x</p>`, `<p style="color: red; margin: 0 auto 1.5em">x</p>`},
		{`<p style="position: fixed">x</p>`, `<p>x</p>`},
		{`<td class="a" style="font-family: 'A b', serif" title="style">x</td>`, `<td class="a" style="font-family: &#39;A b&#39;, serif" title="style">x</td>`},
		{`<p style="background: url(https://example.org/x)">x</p>`, `<p>x</p>`},
		{`<p style="background: u\72l(https://example.org/x)">x</p>`, `<p>x</p>`},
		{`<p style="color: red/**/; width: calc(1px)">x</p>`, `<p>x</p>`},
		{`<p style="width: expression(alert(1)); width: 3px">x</p>`, `<p style="width: 3px">x</p>`},
		{`<p style="color: red &quot;onclick=&quot;x">x</p>`, `<p>x</p>`},
		{`<p style="font-family: &quot;a&quot; onclick">x</p>`, `<p style="font-family: &#34;a&#34; onclick">x</p>`},
		{`<p style>x</p>`, `<p>x</p>`},
		{`<p style="color: red" style="position: fixed">x`, `<p style="color: red">x`},
		{`style &lt;p style="position: fixed"&gt;`, `style &lt;p style=&#34;position: fixed&#34;&gt;`},
		{`<b>style</b> < 3 & <br style="color: red"/>`, `<b>style</b> &lt; 3 &amp; <br style="color: red"/>`},
	} {
		if got := string(sanitized(test.html)); got != test.want {
			t.Errorf("%s\n is %s\nwant %s", test.html, got, test.want)
		}
	}
}
