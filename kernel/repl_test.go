package main

import (
	"bytes"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"
)

// openRepl opens a repl with a history of its own and waits for the prompt.
func openRepl(t *testing.T, args ...string) *terminal {
	t.Helper()
	term := openTerminal(t, 80, 24, []string{"XDG_STATE_HOME=" + t.TempDir()}, append([]string{"repl"}, args...)...)
	term.wait("In [1]:")
	return term
}

func TestReplTyping(t *testing.T) {
	term := openRepl(t)
	term.send("x := 41\r")
	term.see("In [1]: x := 41", "In [2]:")
	term.send("x + 1\r")
	term.see("In [2]: x + 1", "Out[2]: 42", "In [3]:")
	term.send("func twice(n int) int {\rif n > 1 {\rreturn 2 * n\r}\rreturn n\r}\r")
	term.see(
		"In [3]: func twice(n int) int {",
		"             if n > 1 {",
		"                  return 2 * n",
		"             }",
		"             return n",
		"        }",
		"In [4]:")
	term.send("fmt.Print(twice(x))\r")
	term.see("In [4]: fmt.Print(twice(x))", "82", "In [5]:")
	term.send("y := z\r")
	term.see("In [5]: y := z", "Cell [5]:1:6: undefined: z", "    1 | y := z", "      |      ^", "In [6]:")
	term.send("func f() {\r\r\r")
	term.wait("Cell [6]:1:")
	term.wait("In [7]:")
	term.send("twice?\r")
	term.see("In [7]: twice?", "func twice(n int) int", "", "Declared in Cell [3].", "In [8]:")
	term.send("twice\x1bh")
	term.see("Declared in Cell [3].", "In [8]: twice")
	term.send("\x03")
	term.see("In [8]: twice^C", "In [8]:")
	term.send("Out[2]\x04") // which has nothing to delete
	term.send("\r")
	term.see("In [8]: Out[2]", "Out[8]: 42", "In [9]:")
	term.send("\x04")
	if status := term.status(); status != 0 {
		t.Errorf("the repl ended with status %d, want 0", status)
	}
}

func TestReplPaste(t *testing.T) {
	term := openRepl(t)
	term.send("\x1b[200~for i := range 2 {\r\tfmt.Println(\"日本語\", i)\r}\rfmt.Println(\"" + strings.Repeat("日本語 ", 10) + "\")\r\x1b[201~")
	term.wait("日本語 日本語 日本語 日本語 日本語 日本語 日本")
	term.send("\r")
	term.see("日本語 0", "日本語 1", strings.TrimRight(strings.Repeat("日本語 ", 10), " "), "In [2]:")
	term.send("word := \"" + strings.Repeat("wide日本 ", 7) + "\"")
	term.see(
		"In [2]: word := \"wide日本 wide日本 wide日本 wide日本 wide日本 wide日本 wide日本",
		"\"")
	term.resize(40, 24)
	// There is no room for the half of a character at the end of a row.
	term.see(
		"In [2]: word := \"wide日本 wide日本 wide",
		"日本 wide日本 wide日本 wide日本 wide日本",
		" \"")
	term.send("\r")
	term.wait("In [3]:")
	term.send("len(word)\r")
	term.see("Out[3]: 77", "In [4]:")
}

func TestReplCompletion(t *testing.T) {
	term := openRepl(t)
	term.send("größe, x := 1, strings.ToUp\t")
	term.wait("In [1]: größe, x := 1, strings.ToUpper")
	term.send("(\"a\")\r")
	term.wait("In [2]:")
	term.send("strings.TrimR\t")
	term.wait("In [2]: strings.TrimRight")
	term.send("\t")
	term.wait("func(s string, f func(rune) bool) string")
	term.send("\t\t")
	term.wait("In [2]: strings.TrimRightFunc")
	term.send("(x, unicode.IsU\t)\r")
	term.see("In [2]: strings.TrimRightFunc(x, unicode.IsUpper)", "In [3]:")
	term.send("grö\t")
	term.wait("In [3]: größe")
	term.send("\r")
	term.see("Out[3]: 1", "In [4]:")
}

func TestReplHistory(t *testing.T) {
	state := "XDG_STATE_HOME=" + t.TempDir()
	first := openTerminal(t, 80, 24, []string{state}, "repl")
	first.wait("In [1]:")
	first.send("for i := range 2 {\rfmt.Println(\"kept\", i)\r}\r")
	first.wait("In [2]:")
	first.send("1 + 1\r")
	first.wait("In [3]:")
	first.send("\x04")
	if status := first.status(); status != 0 {
		t.Fatalf("status %d", status)
	}
	second := openTerminal(t, 80, 24, []string{state}, "repl")
	second.wait("In [1]:")
	second.send("\x1b[A")
	second.wait("In [1]: 1 + 1")
	second.send("\x1b[A")
	second.see("In [1]: for i := range 2 {", "             fmt.Println(\"kept\", i)", "        }")
	second.send("\x03")
	second.wait("}^C")
	second.send("\x12kept")
	second.wait("(inc-search): kept")
	second.send("\r")
	second.send("\r")
	second.see("kept 0", "kept 1", "In [2]:")
}

func TestReplInterrupt(t *testing.T) {
	term := openRepl(t)
	term.send("x := 41\r")
	term.wait("In [2]:")
	term.send("fmt.Println(\"be\" + \"gun\"); for {}\r")
	term.see("begun")
	term.send("\x03")
	term.see("begun", "^C", "interrupted", "In [3]:")
	term.send("x + 1\r")
	term.see("Out[3]: 42", "In [4]:")
	term.send("nb.Input(\"who? \")\r")
	term.wait("\nwho?")
	term.send("\x03")
	term.wait("In [5]:")
	term.send("x + 2\r")
	term.see("Out[5]: 43", "In [6]:")
}

// TestReplSecondInterrupt has an input compute in compiled code that heeds no interrupt.
func TestReplSecondInterrupt(t *testing.T) {
	term := openRepl(t)
	term.send("one := big.NewInt(1); m := new(big.Int).Sub(new(big.Int).Lsh(one, 2048), one)\r")
	term.wait("In [2]:")
	// It says so when it computes already: before, the interrupt would be heeded.
	term.send("time.AfterFunc(time.Second, func() { fmt.Println(\"be\" + \"gun\") }); new(big.Int).Exp(m, new(big.Int).Lsh(one, 1<<27), m)\r")
	term.wait("\nbegun")
	term.send("\x03")
	term.see("^C", "interrupted, but the cell has not ended yet; interrupt again to end it and lose", "all variables")
	term.send("\x03")
	term.wait("In [3]:")
	term.send("1 + 1\r")
	term.see("Out[3]: 2", "In [4]:")
}

// TestReplDeath runs an input that ends its process.
func TestReplDeath(t *testing.T) {
	term := openRepl(t)
	term.send("x := 41\r")
	term.wait("In [2]:")
	term.send("syscall.Kill(os.Getpid(), syscall.SIGKILL)\r")
	term.wait("In [3]:")
	term.send("x\r")
	term.wait("In [4]:")
	term.send("1 + 1\r")
	term.see("Out[4]: 2", "In [5]:")
}

func TestReplInput(t *testing.T) {
	term := openRepl(t)
	term.send("name := nb.Input(\"first\\nwho? \")\r")
	term.see("first", "who?")
	term.send("Zoë\r")
	term.see("who? Zoë", "In [2]:")
	term.send("secret := nb.Password(\"password: \")\r")
	term.wait("\npassword:")
	term.send("hush")
	term.see("password: ****")
	term.send("\r")
	term.wait("In [3]:")
	term.send("name + secret\r")
	term.see("Out[3]: Zoëhush", "In [4]:")
	if strings.Count(term.written(), "hush") != 1 {
		t.Error("the password was shown")
	}
	term.send("n := 0; fmt.Scanln(&n)\r")
	term.wait("fmt.Scanln(&n)")
	term.send("7\r")
	term.wait("In [5]:")
	term.send("n\r")
	term.see("Out[5]: 7", "In [6]:")
}

func TestReplOutput(t *testing.T) {
	term := openRepl(t)
	// What is replaced leaves one line.
	term.send("h := nb.Display(\"one\"); g := nb.Display(\"two\"); h.Update(\"three\"); g.Update(\"four\"); h.Update(\"five\")\r")
	term.wait("In [2]:")
	term.see("h.Update(\"five\")", "five", "four", "In [2]:")
	// What comes while a line is edited stands above it.
	term.send("more := make(chan int); go func() { for n := range more { fmt.Println(\"received\", n) } }()\r")
	term.wait("In [3]:")
	term.send("go func() { time.Sleep(time.Second); more <- 7 }()\r")
	term.wait("In [4]:")
	term.send("typed")
	term.see("received 7", "In [4]: typed")
	term.send("\x03")
	term.wait("typed^C")
	term.send("nb.NextInput(\"a := 1\\nb := 2\")\r")
	term.see("In [5]: a := 1", "        b := 2")
}

func TestReplPicture(t *testing.T) {
	term := openRepl(t)
	term.send("plot.New()\r")
	term.wait("In [2]:")
	saved := regexp.MustCompile(`\x1b\]8;;file://[^\x07\x1b]*(?:\x07|\x1b\\)([^\x1b]*1-1\.png)`).FindStringSubmatch(term.written())
	if saved == nil {
		t.Fatalf("no link to a picture in %q", term.written())
	}
	data, err := os.ReadFile(saved[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Empty() {
		t.Errorf("the picture is %v, %v", img, err)
	}
}

func TestReplPictureDrawn(t *testing.T) {
	for _, test := range []struct{ name, env, drawing string }{
		{"kitty", "TERM=xterm-kitty", "\x1b_G"},
		{"iTerm2", "TERM_PROGRAM=iTerm.app", "\x1b]1337;File="},
	} {
		t.Run(test.name, func(t *testing.T) {
			term := openTerminal(t, 80, 24, []string{"XDG_STATE_HOME=" + t.TempDir(), "TMUX=", test.env}, "repl")
			term.wait("In [1]:")
			term.send("plot.New()\r")
			term.wait("In [2]:")
			if !strings.Contains(term.written(), test.drawing) {
				t.Error("the picture was not drawn")
			}
		})
	}
}

func TestReplWithoutColor(t *testing.T) {
	term := openTerminal(t, 80, 24, []string{"XDG_STATE_HOME=" + t.TempDir(), "NO_COLOR=1"}, "repl")
	term.wait("In [1]:")
	term.send("s := \"text\" // comment\r")
	term.wait("In [2]:")
	term.send("strings.TrimR\t\t")
	term.see("TrimRight      func(s, cutset string) string", "TrimRightFunc  func(s string, f func(rune) bool) string", "In [2]: strings.TrimRight")
	term.send("(s, nil)\r")
	term.wait("In [3]:")
	if colored := regexp.MustCompile(`\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m`).FindString(term.written()); colored != "" {
		t.Errorf("%q was written", colored)
	}
}

func TestReplWithoutTerminal(t *testing.T) {
	for _, test := range []struct {
		name, input string
		want        result
	}{
		{"value", "x := 41\nfunc f(n int) int { return n + 1 }\nfmt.Println(x)\nnb.Display(1)\nf(x)\n", result{"41\n1\n42\n", "", 0}},
		{"nothing", "", result{"", "", 0}},
		{"failure", "fmt.Println(1)\nf := os.Open(\"/no/such\")\n_ = f\n",
			result{"1\n", "*fs.PathError: open /no/such: no such file or directory\n<stdin>:2:6\n    2 | f := os.Open(\"/no/such\")\n      |      ^\n", 1}},
		{"exit", "os.Exit(7)", result{"", "", 7}},
		{"exit with success", "fmt.Print(1)\nos.Exit(0)\n2", result{"1", "", 0}},
		{"arguments", "flag.Parse()\nfmt.Println(len(os.Args), flag.NArg(), flag.CommandLine.Name() == os.Args[0])", result{"1 0 true\n", "", 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := hierml(t, t.TempDir(), test.input, "repl"); got != test.want {
				t.Errorf("got\n%+v\nwant\n%+v", got, test.want)
			}
		})
	}
}
