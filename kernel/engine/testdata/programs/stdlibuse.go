package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"math/rand"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"text/template"
	"time"
	"unicode"
)

type Rec struct {
	Name string `json:"name"`
	Age  int
}

func main() {
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	fmt.Fprintf(w, "%-5s|%5d|%05.1f\n", "ab", 42, 3.14159)
	w.Flush()
	fmt.Print(buf.String())
	re := regexp.MustCompile(`(\w+)@(\w+)\.com`)
	fmt.Println(re.FindStringSubmatch("bob@example.com"), re.ReplaceAllString("a@b.com", "$2"), re.ReplaceAllStringFunc("x@y.com", strings.ToUpper))
	var m map[string]any
	err := json.Unmarshal([]byte(`{"a":1,"b":[true,null,"x"],"c":{"d":2.5}}`), &m)
	fmt.Println(m["a"], m["b"], m["c"].(map[string]any)["d"], err)
	b, _ := json.Marshal(map[string]any{"z": 1, "a": []int{1, 2}, "t": nil})
	fmt.Println(string(b))
	var anon struct {
		A int
		B []string
	}
	json.Unmarshal([]byte(`{"A":5,"B":["q"]}`), &anon)
	fmt.Println(anon)
	d, _ := time.ParseDuration("1h30m")
	fmt.Println(d, d.Hours(), time.Unix(0, 0).UTC().Format("2006-01-02"))
	u, _ := url.Parse("http://x.com/p?q=1&r=2")
	fmt.Println(u.Host, u.Query().Get("r"), u.Path)
	fmt.Println(strings.Split("a,b,c", ","), strings.Repeat("ab", 2), strings.TrimSpace("  x "), strings.Contains("abc", "b"), strings.Replace("aaa", "a", "b", 2), strings.Title("x y"), strings.EqualFold("A", "a"))
	sc := bufio.NewScanner(strings.NewReader("one two\nthree"))
	sc.Split(bufio.ScanWords)
	n := 0
	for sc.Scan() {
		n++
	}
	fmt.Println(n, filepath.Join("a", "..", "b"), path.Base("/x/y.go"), filepath.Ext("f.txt"))
	h := sha256.Sum256([]byte("x"))
	fmt.Printf("%x %s\n", h[:4], hex.EncodeToString([]byte("hi")))
	r := rand.New(rand.NewSource(1))
	a, c := r.Intn(100), r.Intn(100)
	fmt.Println(a == c && a == 200, base64.StdEncoding.EncodeToString([]byte("hello")))
	bi := new(big.Int).Exp(big.NewInt(2), big.NewInt(100), nil)
	fmt.Println(bi, bi.BitLen())
	x, err := strconv.ParseInt("zz", 10, 64)
	var ne *strconv.NumError
	fmt.Println(x, err, errors.As(err, &ne), errors.Is(err, strconv.ErrSyntax))
	if ne != nil {
		fmt.Println(ne.Func, ne.Num)
	}
	_, err = os.Open("/no/such/file")
	var pe *os.PathError
	fmt.Println(errors.Is(err, os.ErrNotExist), errors.As(err, &pe))
	tw := tabwriter.NewWriter(&buf, 0, 8, 1, ' ', 0)
	fmt.Fprintln(tw, "a\tb\tc")
	fmt.Fprintln(tw, "aaa\tbb\tc")
	tw.Flush()
	rd := strings.NewReader("abc")
	io.Copy(&buf, io.LimitReader(rd, 2))
	fmt.Println()
	t := template.Must(template.New("t").Parse("{{range .}}<{{.}}>{{end}}\n"))
	t.Execute(&buf, []string{"x", "y"})
	fmt.Print(buf.String())
	ss := sort.StringSlice{"b", "a"}
	sort.Sort(ss)
	fmt.Println(ss, sort.SearchInts([]int{1, 3, 5}, 3))
	var sb strings.Builder
	for i := 3; i > 0; i-- {
		fmt.Fprintf(&sb, "%d,", i)
	}
	fmt.Println(sb.String(), sb.Len(), unicode.IsUpper('A'), bits.OnesCount(7), math.Mod(7, 3), math.Hypot(3, 4), math.Round(2.5), math.Trunc(-2.5), math.NaN() == math.NaN(), math.MaxUint32)
	csvr := csv.NewReader(strings.NewReader("a,b\n1,2\n"))
	rows, _ := csvr.ReadAll()
	fmt.Println(rows)
	var once sync.Once
	once.Do(func() { fmt.Println("once") })
	pool := sync.Pool{New: func() any { return 7 }}
	fmt.Println(pool.Get().(int))
	fmt.Println(reflect.TypeOf(3), reflect.ValueOf("x").Kind(), reflect.DeepEqual([]int{1}, []int{1}))
	fmt.Println(cmp.Compare(2, 1), slices.Sorted(maps.Keys(map[int]bool{2: true, 1: true})))
}
