package carry

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// A Named is a variable by its name. The value is addressable.
type Named struct {
	Name  string
	Value reflect.Value
}

// A region is memory that a pointer refers to: n values of a type.
type region struct {
	at unsafe.Pointer
	t  reflect.Type
	n  int
	// variable is set for the memory of a variable, and table for a map.
	variable *Named
	table    bool
}

func (r *region) size() uintptr { return uintptr(r.n) * r.t.Size() }

// A reference is the target of a pointer: in an object, or a map.
type reference struct {
	object int
	offset uintptr
}

// A collector finds all memory that can be reached from variables.
type collector struct {
	static  static
	regions map[seen]*region
	todo    []*region
	where   map[*region]*place
	// types of values in interfaces, and which variables lose what without the type
	boxed map[reflect.Type][]Lost
	depth int

	name string // of the current variable
	lost []Lost

	// objects are the regions that are not inside others, when all are found.
	objects []*region
	refs    map[seen]reference
}

// maxDepth bounds the nesting of values in interfaces.
const maxDepth = 10_000

func collect(vars []Named) (*collector, error) {
	static, err := staticMemory()
	if err != nil {
		return nil, err
	}
	c := &collector{static: static, regions: map[seen]*region{}, where: map[*region]*place{}, boxed: map[reflect.Type][]Lost{}, refs: map[seen]reference{}}
	for i := range vars {
		v := &vars[i]
		r := &region{at: v.Value.Addr().UnsafePointer(), t: v.Value.Type(), n: 1, variable: v}
		c.regions[seen{r.at, r.t}] = r
	}
	for _, v := range vars {
		c.name = v.Name
		c.value(nil, v.Value.Addr().UnsafePointer(), v.Value.Type())
		c.drain()
	}
	c.merge()
	return c, nil
}

func (c *collector) drain() {
	for len(c.todo) > 0 {
		r := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		at := c.where[r]
		delete(c.where, r)
		if r.table {
			c.entries(at, r)
			continue
		}
		for i := range r.n {
			place := at
			if r.n > 1 {
				place = at.index(i)
			}
			c.value(place, unsafe.Add(r.at, uintptr(i)*r.t.Size()), r.t)
		}
	}
}

func (c *collector) entries(at *place, r *region) {
	own := r.at
	for entries := reflect.NewAt(r.t, unsafe.Pointer(&own)).Elem().MapRange(); entries.Next(); {
		place := at.entry(keyText(entries.Key()))
		c.copied(place, entries.Key())
		c.copied(place, entries.Value())
	}
}

// copied examines a value that is not addressable.
func (c *collector) copied(at *place, v reflect.Value) {
	if isRaw(v.Type()) {
		return
	}
	box := reflect.New(v.Type())
	box.Elem().Set(v)
	c.value(at, box.UnsafePointer(), v.Type())
}

// value examines the value at an address.
func (c *collector) value(at *place, p unsafe.Pointer, t reflect.Type) {
	if isRaw(t) {
		return
	}
	switch kindOf(t) {
	case neverKind:
		if !reflect.NewAt(t, p).Elem().IsZero() {
			c.lose(at, neverWhy(t))
		}
	case mutexKind:
		if !reflect.NewAt(t, p).Elem().IsZero() {
			c.lose(at, "a lock or a wait group that was in use; it is free now")
		}
	case syncMapKind:
		(*sync.Map)(p).Range(func(key, value any) bool {
			place := at.entry(keyText(reflect.ValueOf(key)))
			c.value(place, unsafe.Pointer(&key), anyType)
			c.value(place, unsafe.Pointer(&value), anyType)
			return true
		})
	case atomicPointerKind:
		target, _ := atomicPointer(t)
		c.pointer(at, atomicWord(p, t), target, 1)
	case pointerKind:
		c.pointer(at, *(*unsafe.Pointer)(p), t.Elem(), 1)
	case sliceKind:
		c.pointer(at, *(*unsafe.Pointer)(p), t.Elem(), reflect.NewAt(t, p).Elem().Cap())
	case mapKind:
		table := *(*unsafe.Pointer)(p)
		if table == nil {
			return
		}
		if key := (seen{table, t}); c.regions[key] == nil {
			c.later(key, &region{at: table, t: t, n: 1, table: true}, at)
		}
	case interfaceKind:
		c.iface(at, reflect.NewAt(t, p).Elem())
	case arrayKind:
		for i := range t.Len() {
			c.value(at.index(i), unsafe.Add(p, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case structKind:
		for i := range t.NumField() {
			f := t.Field(i)
			c.value(at.field(f.Name), unsafe.Add(p, f.Offset), f.Type)
		}
	}
}

func (c *collector) pointer(at *place, p unsafe.Pointer, t reflect.Type, n int) {
	if p == nil || n == 0 || t.Size() == 0 || c.static.has(p) {
		return
	}
	if kindOf(t) == neverKind {
		c.lose(at, neverWhy(t))
		return
	}
	key := seen{p, t}
	old := c.regions[key]
	if old != nil && old.n >= n {
		return
	}
	r := &region{at: p, t: t, n: n}
	if old != nil {
		r.variable = old.variable
	}
	c.later(key, r, at)
}

func (c *collector) later(key seen, r *region, at *place) {
	c.regions[key] = r
	if r.table || !isRaw(r.t) {
		c.todo = append(c.todo, r)
		c.where[r] = at
	}
}

func (c *collector) iface(at *place, v reflect.Value) {
	if v.IsNil() {
		return
	}
	held := v.Elem()
	t := held.Type()
	if t == rtypeType {
		c.box(at, held.Interface().(reflect.Type))
		return
	}
	if why := c.cannotHold(t); why != "" {
		c.lose(at, why)
		return
	}
	c.box(at, t)
	if c.depth++; c.depth > maxDepth {
		c.lose(at, "it is nested too deeply")
	} else {
		c.copied(at, held)
	}
	c.depth--
}

// box records that an interface holds a value of a type, or the type.
func (c *collector) box(at *place, t reflect.Type) {
	if of := c.boxed[t]; len(of) > 0 && of[len(of)-1].Name == c.name {
		of[len(of)-1].More++
		return
	}
	c.boxed[t] = append(c.boxed[t], Lost{Name: c.name, Path: at.of(c.name), Why: "its type no longer exists: " + t.String()})
}

// cannotHold says why the value of an interface is not kept at all, according to its type; empty if
// it is kept.
func (c *collector) cannotHold(t reflect.Type) string {
	kind := kindOf(t)
	if kind == pointerKind && kindOf(t.Elem()) == neverKind {
		return neverWhy(t.Elem())
	}
	if kind == neverKind {
		return neverWhy(t)
	}
	return ""
}

func (c *collector) lose(at *place, why string) {
	if n := len(c.lost); n > 0 && c.lost[n-1].Name == c.name {
		c.lost[n-1].More++
		return
	}
	c.lost = append(c.lost, Lost{Name: c.name, Path: at.of(c.name), Why: why})
}

// merge makes objects of regions: a region inside another, or overlapping it, like slices of one
// array, shares its object.
func (c *collector) merge() {
	type found struct {
		key seen
		*region
	}
	var all []found
	for key, r := range c.regions {
		if r.table {
			c.refs[key] = reference{len(c.objects), 0}
			c.objects = append(c.objects, r)
			continue
		}
		all = append(all, found{key, r})
	}
	slices.SortFunc(all, func(a, b found) int {
		if order := cmp.Or(cmp.Compare(uintptr(a.at), uintptr(b.at)), cmp.Compare(b.size(), a.size())); order != 0 {
			return order
		}
		if a.variable != nil || fitsAt(a.t, a.n, 0, b.t, b.n) {
			return -1
		}
		return 1
	})
	var now *region // the current object
	number := 0
	for _, f := range all {
		if now != nil && uintptr(f.at) < uintptr(now.at)+now.size() {
			offset := uintptr(f.at) - uintptr(now.at)
			if now.t == f.t && now.variable == nil && offset%f.t.Size() == 0 {
				now.n = max(now.n, int(offset/f.t.Size())+f.n)
			}
			if fitsAt(now.t, now.n, offset, f.t, f.n) {
				c.refs[f.key] = reference{number, offset}
				continue
			}
		}
		own := *f.region
		object := &own
		if now == nil || uintptr(f.at)+f.size() > uintptr(now.at)+now.size() {
			now, number = object, len(c.objects)
		}
		c.refs[f.key] = reference{len(c.objects), 0}
		c.objects = append(c.objects, object)
	}
}

// fitsAt reports whether n values of type t lie at an offset in memory of count values of type
// outer.
func fitsAt(outer reflect.Type, count int, offset uintptr, t reflect.Type, n int) bool {
	size := outer.Size()
	if size == 0 || offset >= uintptr(count)*size {
		return false
	}
	rest := count - int(offset/size)
	offset %= size
	if outer == t {
		return offset == 0 && n <= rest
	}
	switch outer.Kind() {
	case reflect.Array:
		// Elements beyond the first value count only inside it.
		return fitsAt(outer.Elem(), outer.Len(), offset, t, n)
	case reflect.Struct:
		for i := range outer.NumField() {
			f := outer.Field(i)
			if f.Offset <= offset && offset < f.Offset+f.Type.Size() && fitsAt(f.Type, 1, offset-f.Offset, t, n) {
				return true
			}
		}
	}
	return false
}
