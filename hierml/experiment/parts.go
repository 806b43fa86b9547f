package experiment

import (
	"context"
	"fmt"
	"sync"

	"github.com/hierml/notebook/hierml/dataset"
	"github.com/hierml/notebook/hierml/farm"
	"github.com/hierml/notebook/hierml/progress"
)

// parts are the data that cells are run on: opened when the first cell needs them and dropped after
// the last one, so that memory holds the data at work and not the study's.
type parts struct {
	*plan
	mu     sync.Mutex
	opened map[place]*shared[*instances] // by data and, where they are drawn, repeat
	taken  map[transformed]*shared[part]
	use    map[*job]transformed // of jobs that are not done, as far as it is known
	fault  error                // of data that are promised
}

// transformed is a division whose instances are vectors by settings of the data: their identity.
type transformed struct {
	place
	settings string
}

// shared is a value that is made once and used by some.
type shared[T any] struct {
	once  sync.Once
	value T
	err   error
	users int
}

// get makes the value, if it is not made. A panic of make is an error.
func (s *shared[T]) get(make func() (T, error)) (T, error) {
	s.once.Do(func() { s.err = guard(func() (err error) { s.value, err = make(); return err }) })
	return s.value, s.err
}

// guard returns the panic of a function, which may be the user's, as an error.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return f()
}

func newParts(p *plan, jobs []*job) *parts {
	c := &parts{plan: p, opened: make(map[place]*shared[*instances]), taken: make(map[transformed]*shared[part]), use: make(map[*job]transformed)}
	for _, j := range jobs {
		switch {
		case !j.chooses():
			c.uses(j, j.point)
		case len(j.inner[0].point.ofData()) == 0: // whatever is chosen
			c.uses(j, nil)
		}
		source := c.source(j.place)
		if c.opened[source] == nil {
			c.opened[source] = &shared[*instances]{}
		}
		c.opened[source].users++
	}
	return c
}

// uses counts a job, at a point, among the users of what it is run on, and returns that. The caller
// holds c.mu, or is alone.
func (c *parts) uses(j *job, at point) *shared[part] {
	key, counted := c.use[j]
	if !counted {
		key = transformed{j.place, at.ofData().identity()}
		c.use[j] = key
		if c.taken[key] == nil {
			c.taken[key] = &shared[part]{}
		}
		c.taken[key].users++
	}
	return c.taken[key]
}

// source is the place of the data that a place divides.
func (c *parts) source(at place) place {
	if c.data[at.data].drawn() {
		return place{data: at.data, repeat: at.repeat}
	}
	return place{data: at.data}
}

// of returns what the job, at a point, trains on and tests on.
func (c *parts) of(ctx context.Context, j *job, at point) (part, error) {
	c.mu.Lock()
	taken, opened := c.uses(j, at), c.opened[c.source(j.place)]
	c.mu.Unlock()
	source := c.data[j.data]
	return taken.get(func() (part, error) {
		in, err := opened.get(func() (*instances, error) {
			switch {
			case source.kept != nil:
				return source.kept, nil
			case source.promised:
				return c.promised(ctx, source)
			}
			return source.open(ctx, c.study.dataFolder(), c.dataSeed(j.place))
		})
		if err != nil {
			return part{}, err
		}
		by, err := c.divide(in, j.place)
		if err != nil {
			return part{}, err
		}
		set, err := source.at(at.ofData())
		if err != nil {
			return part{}, err
		}
		p, err := in.divided(progress.Silent(ctx), set, by)
		if p.tested = by.Test; c.study.Split.GivenTest {
			p.given = in.given
		}
		p.all = in.len()
		if err == nil && j.place.inner == 0 {
			p.equals = in.equals(by)
		}
		return p, err
	})
}

// promised opens data that another machine has opened before. If they are not here, or are others,
// it is no fault of a cell.
func (c *parts) promised(ctx context.Context, s *source) (*instances, error) {
	in, err := s.open(ctx, c.study.dataFolder(), 0)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		err = fmt.Errorf("machine %s has no data set %q; put it where all machines find it at the same path, and set HIERML_DATA to that folder: %w",
			farm.Machine(), s.Name, err)
	case s.identity != s.Data.identity(in):
		err = fmt.Errorf("the data set %q of machine %s differs from that of the machine that submitted the study; let both read the same file", s.Name, farm.Machine())
	}
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.fault = err
		return nil, err
	}
	return in, nil
}

// faulty returns what is wrong with promised data.
func (c *parts) faulty() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// divide returns the division at a place.
func (c *parts) divide(in *instances, at place) (dataset.Division, error) {
	by, err := in.division(c.study.Split, at.perClass, at.fold, c.divisionSeed(at))
	if err != nil || at.inner == 0 {
		return by, err
	}
	return in.divideWithin(by, c.study.Inner, at.inner, c.innerSeed(at))
}

// release says that a job is done.
func (c *parts) release(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if key, ok := c.use[j]; ok {
		delete(c.use, j)
		if c.taken[key].users--; c.taken[key].users == 0 {
			delete(c.taken, key)
		}
	}
	source := c.source(j.place)
	if s := c.opened[source]; s != nil {
		if s.users--; s.users == 0 {
			delete(c.opened, source)
			for i := range c.data {
				if i == source.data && !c.data[i].drawn() {
					c.data[i].kept = nil
				}
			}
		}
	}
}
