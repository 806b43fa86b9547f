package main

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

type Graph map[string][]string

func (g Graph) BFS(s string) []string {
	seen := map[string]bool{s: true}
	q := []string{s}
	var out []string
	for len(q) > 0 {
		n := q[0]
		q = q[1:]
		out = append(out, n)
		for _, m := range g[n] {
			if !seen[m] {
				seen[m] = true
				q = append(q, m)
			}
		}
	}
	return out
}
func perms(xs []int) [][]int {
	if len(xs) <= 1 {
		return [][]int{append([]int(nil), xs...)}
	}
	var out [][]int
	for i := range xs {
		rest := append(append([]int{}, xs[:i]...), xs[i+1:]...)
		for _, p := range perms(rest) {
			out = append(out, append([]int{xs[i]}, p...))
		}
	}
	return out
}
func queens(n int) int {
	count := 0
	cols, d1, d2 := make([]bool, n), make([]bool, 2*n), make([]bool, 2*n)
	var place func(r int)
	place = func(r int) {
		if r == n {
			count++
			return
		}
		for c := 0; c < n; c++ {
			if cols[c] || d1[r+c] || d2[r-c+n] {
				continue
			}
			cols[c], d1[r+c], d2[r-c+n] = true, true, true
			place(r + 1)
			cols[c], d1[r+c], d2[r-c+n] = false, false, false
		}
	}
	place(0)
	return count
}
func sieve(n int) (ps []int) {
	comp := make([]bool, n+1)
	for i := 2; i <= n; i++ {
		if comp[i] {
			continue
		}
		ps = append(ps, i)
		for j := i * i; j <= n; j += i {
			comp[j] = true
		}
	}
	return
}
func lcs(a, b string) string {
	dp := make([][]int, len(a)+1)
	for i := range dp {
		dp[i] = make([]int, len(b)+1)
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			if a[i-1] == b[j-1] {
				dp[i][j] = dp[i-1][j-1] + 1
			} else {
				dp[i][j] = max(dp[i-1][j], dp[i][j-1])
			}
		}
	}
	var r []byte
	for i, j := len(a), len(b); i > 0 && j > 0; {
		switch {
		case a[i-1] == b[j-1]:
			r = append([]byte{a[i-1]}, r...)
			i--
			j--
		case dp[i-1][j] >= dp[i][j-1]:
			i--
		default:
			j--
		}
	}
	return string(r)
}
func quick(xs []int) []int {
	if len(xs) < 2 {
		return xs
	}
	p := xs[0]
	var l, r []int
	for _, x := range xs[1:] {
		if x < p {
			l = append(l, x)
		} else {
			r = append(r, x)
		}
	}
	return append(append(quick(l), p), quick(r)...)
}
func collatz(n uint64) (steps int) {
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
	}
	return
}
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
func hanoi(n int, a, b, c string, move func(string, string)) {
	if n == 0 {
		return
	}
	hanoi(n-1, a, c, b, move)
	move(a, c)
	hanoi(n-1, b, a, c, move)
}

type Mat [][]float64

func (m Mat) Det() float64 {
	n := len(m)
	if n == 1 {
		return m[0][0]
	}
	d := 0.0
	for c := range n {
		sub := Mat{}
		for r := 1; r < n; r++ {
			row := []float64{}
			for cc := range n {
				if cc != c {
					row = append(row, m[r][cc])
				}
			}
			sub = append(sub, row)
		}
		sign := 1.0
		if c%2 == 1 {
			sign = -1
		}
		d += sign * m[0][c] * sub.Det()
	}
	return d
}
func rot13(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}
func ack(m, n int) int {
	switch {
	case m == 0:
		return n + 1
	case n == 0:
		return ack(m-1, 1)
	}
	return ack(m-1, ack(m, n-1))
}
func pow(b, e, m int) int {
	r := 1
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = r * b % m
		}
		b = b * b % m
	}
	return r
}
func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h ^= uint32(s[i])
		h *= 16777619
	}
	return h
}
func wordFreq(s string) map[string]int {
	m := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		m[w]++
	}
	return m
}
func main() {
	g := Graph{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": {"a"}}
	fmt.Println(g.BFS("a"), perms([]int{1, 2, 3}), queens(6), sieve(30), lcs("AGGTAB", "GXTXAYB"), quick([]int{3, 6, 1, 8, 2, 3}))
	fmt.Println(collatz(27), gcd(48, 18), Mat{{2, 0, 1}, {1, 3, 2}, {1, 1, 1}}.Det(), rot13("Hello, World"), ack(2, 3), pow(3, 200, 1000007), hash("hello"), wordFreq("the cat. The dog; the end"))
	n := 0
	hanoi(4, "a", "b", "c", func(x, y string) { n++ })
	fmt.Println(n)
	memo := map[int]int{}
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		if v, ok := memo[n]; ok {
			return v
		}
		memo[n] = fib(n-1) + fib(n-2)
		return memo[n]
	}
	fmt.Println(fib(80))
	var x uint8 = 255
	x++
	var y int32 = math.MaxInt32
	y++
	var z int64 = -7
	fmt.Println(x, y, z>>1, uint64(z)>>60, z/2, z%2, ^z, -z, 7&^5, 1<<3|1, 1 == 1, uint16(70000&0xffff), int(math.Sqrt(15)), int(-math.Sqrt(15)), byte(300&255), rune('é'), string(rune(233)))
	s := "héllo, 世界"
	for i, r := range s {
		if r > 127 {
			fmt.Print(i, ":", string(r), " ")
		}
	}
	fmt.Println(len(s), len([]rune(s)), s[1:3] == "é", strings.ToUpper(s), []byte(s)[1], utf8.RuneCountInString(s))
}
