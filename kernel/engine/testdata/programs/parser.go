package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type TokenKind int

const (
	Num TokenKind = iota
	Op
	LP
	RP
	EOF
)

func (k TokenKind) String() string {
	switch k {
	case Num:
		return "Num"
	case Op:
		return "Op"
	case LP:
		return "("
	case RP:
		return ")"
	}
	return "EOF"
}

type Token struct {
	Kind TokenKind
	Text string
	Val  float64
}
type Lexer struct {
	src string
	pos int
}

func (l *Lexer) Next() (t Token, err error) {
	for l.pos < len(l.src) && l.src[l.pos] == ' ' {
		l.pos++
	}
	if l.pos >= len(l.src) {
		return Token{Kind: EOF}, nil
	}
	c := l.src[l.pos]
	switch {
	case c >= '0' && c <= '9':
		start := l.pos
		for l.pos < len(l.src) && (l.src[l.pos] >= '0' && l.src[l.pos] <= '9' || l.src[l.pos] == '.') {
			l.pos++
		}
		v, err := strconv.ParseFloat(l.src[start:l.pos], 64)
		return Token{Num, l.src[start:l.pos], v}, err
	case strings.ContainsRune("+-*/", rune(c)):
		l.pos++
		return Token{Kind: Op, Text: string(c)}, nil
	case c == '(':
		l.pos++
		return Token{Kind: LP}, nil
	case c == ')':
		l.pos++
		return Token{Kind: RP}, nil
	}
	return t, &SyntaxError{l.pos, c}
}

type SyntaxError struct {
	Pos  int
	Char byte
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("unexpected %q at %d", e.Char, e.Pos) }

type Node interface{ Eval() (float64, error) }
type NumNode float64
type BinNode struct {
	Op   string
	L, R Node
}

var ErrDiv = errors.New("division by zero")

func (n NumNode) Eval() (float64, error) { return float64(n), nil }
func (n *BinNode) Eval() (float64, error) {
	l, err := n.L.Eval()
	if err != nil {
		return 0, err
	}
	r, err := n.R.Eval()
	if err != nil {
		return 0, err
	}
	switch n.Op {
	case "+":
		return l + r, nil
	case "-":
		return l - r, nil
	case "*":
		return l * r, nil
	case "/":
		if r == 0 {
			return 0, fmt.Errorf("eval %v/%v: %w", l, r, ErrDiv)
		}
		return l / r, nil
	}
	return 0, errors.New("bad op " + n.Op)
}

type Parser struct {
	lex *Lexer
	cur Token
}

func (p *Parser) advance() error { t, err := p.lex.Next(); p.cur = t; return err }
func (p *Parser) expr(min int) (Node, error) {
	var left Node
	switch p.cur.Kind {
	case Num:
		left = NumNode(p.cur.Val)
		if err := p.advance(); err != nil {
			return nil, err
		}
	case LP:
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.expr(0)
		if err != nil {
			return nil, err
		}
		if p.cur.Kind != RP {
			return nil, fmt.Errorf("want ) got %v", p.cur.Kind)
		}
		left = n
		if err := p.advance(); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unexpected %s", p.cur.Kind)
	}
	prec := map[string]int{"+": 1, "-": 1, "*": 2, "/": 2}
	for p.cur.Kind == Op && prec[p.cur.Text] > min {
		op := p.cur.Text
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.expr(prec[op])
		if err != nil {
			return nil, err
		}
		left = &BinNode{op, left, right}
	}
	return left, nil
}
func eval(s string) (v float64, err error) {
	p := &Parser{lex: &Lexer{src: s}}
	if err = p.advance(); err != nil {
		return
	}
	n, err := p.expr(0)
	if err != nil {
		return 0, err
	}
	return n.Eval()
}
func main() {
	for _, s := range []string{"1 + 2 * 3", "(1+2)*3", "10/4 - 1", "2 * (3", "1/0", "1 $ 2", "", "2*3*4-5+6/2"} {
		v, err := eval(s)
		var se *SyntaxError
		fmt.Println(s, "=", v, err, errors.Is(err, ErrDiv), errors.As(err, &se))
	}
	fmt.Printf("%v %+v\n", Token{Num, "1", 1}, []Token{{Kind: LP}, {Op, "+", 0}})
}
