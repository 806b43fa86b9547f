package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

type Kind string
type Addr struct {
	Street string `json:"street"`
	zip    int
}
type Person struct {
	Name    string         `json:"name"`
	Age     int            `json:"age,omitempty"`
	Kind    Kind           `json:"kind"`
	Addr    *Addr          `json:"addr"`
	Tags    []string       `json:"tags"`
	Extra   map[string]any `json:"extra"`
	Friends []Person       `json:"friends"`
	Homes   map[Kind]Addr  `json:"homes"`
	secret  string
	Skip    int `json:"-"`
}

func main() {
	p := Person{Name: "a", Kind: "k", Addr: &Addr{"s", 1}, Tags: []string{"x"}, secret: "no", Friends: []Person{{Name: "b"}}, Homes: map[Kind]Addr{"h": {"t", 2}}}
	b, err := json.Marshal(p)
	fmt.Println(string(b), err)
	b, _ = json.MarshalIndent([]Addr{{"q", 1}}, "", " ")
	fmt.Println(string(b))
	var q Person
	err = json.Unmarshal([]byte(`{"name":"z","age":3,"addr":{"street":"r","zip":5},"extra":{"a":[1,"b"]},"friends":[{"name":"f"}],"homes":{"u":{"street":"v"}}}`), &q)
	fmt.Println(q.Name, q.Age, *q.Addr, q.Extra, q.Friends[0].Name, q.Homes, err)
	var list []Addr
	dec := json.NewDecoder(strings.NewReader(`[{"street":"1"},{"street":"2"}]`))
	fmt.Println(dec.Decode(&list), list)
	var buf bytes.Buffer
	json.NewEncoder(&buf).Encode(map[string]Addr{"a": {"x", 1}})
	fmt.Print(buf.String())
}
