// Package table is the form in which generated code lists the exports of a compiled package: as
// composite literals that the linker lays out, so that a program that does not use a package spends
// no time and no heap on it.
//
// It does not know the interpreter; package stdlib turns tables into the maps that the interpreter
// takes.
package table

import (
	"go/constant"
	"go/token"
	"reflect"
)

// A Package lists the exported, non-generic symbols of one package.
type Package struct {
	Path string
	Name string
	// Values holds functions and typed constants.
	Values []Symbol
	// Variables holds pointers to the package's variables.
	Variables []Symbol
	// Literals holds untyped constants.
	Literals []Literal
	// Types holds nil pointers to the package's types.
	Types []Symbol
	// Wrappers holds nil pointers to the structs with which interpreted values implement the
	// package's interfaces, under the interface's name.
	Wrappers []Symbol
}

// A Symbol is a name and its value.
type Symbol struct {
	Name  string
	Value any
}

// A Literal is an untyped constant in its exact spelling.
type Literal struct {
	Name string
	Kind token.Token
	Text string
}

// Symbols returns the map that yaegi's Use takes for the package.
func (p *Package) Symbols() map[string]reflect.Value {
	m := make(map[string]reflect.Value, len(p.Values)+len(p.Variables)+len(p.Literals)+len(p.Types)+len(p.Wrappers))
	for _, s := range p.Values {
		m[s.Name] = reflect.ValueOf(s.Value)
	}
	for _, s := range p.Variables {
		m[s.Name] = reflect.ValueOf(s.Value).Elem()
	}
	for _, l := range p.Literals {
		m[l.Name] = reflect.ValueOf(constant.MakeFromLiteral(l.Text, l.Kind, 0))
	}
	for _, s := range p.Types {
		m[s.Name] = reflect.ValueOf(s.Value)
	}
	for _, s := range p.Wrappers {
		m["_"+s.Name] = reflect.ValueOf(s.Value)
	}
	return m
}
