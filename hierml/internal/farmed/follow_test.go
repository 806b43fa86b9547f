package farmed

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hierml/notebook/hierml/farm"
)

// mute is a farm that does not answer.
type mute struct{ farm.Farm }

func (mute) State(context.Context, string) (farm.State, error) {
	return farm.State{}, errors.New("no controller")
}
func (mute) Cancel(context.Context, ...string) error { return nil }

// TestFollow waits for pieces of a farm that does not answer: for as long as they come, and otherwise not
// for ever.
func TestFollow(t *testing.T) {
	for _, test := range []struct {
		name    string
		patient time.Duration
		pieces  []int // that are missing, one look after the other
		fault   error // of the last look
		want    string
	}{
		{"all come", time.Hour, []int{3, 1, 0}, nil, ""},
		{"none come", 0, []int{3}, nil, "job 7 may still run, with some finished: wait again to wait for the rest, or stop it (experiment.Stop, hierml study stop DIRECTORY): the farm has not answered for 0s: asking after job 7: no controller"},
		{"a machine has a fault", time.Hour, []int{3}, &Fault{"the machine has no disk"}, "the machine has no disk"},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func(d time.Duration) { silence = d }(silence)
			silence = test.patient
			directory := t.TempDir()
			looks := 0
			f := &Follower{
				Directory: directory, Submission: &Submission{Attempts: []Attempt{{{Name: "0001-1", ID: "7"}}}, Farm: mute{}}, Again: "wait again",
				Collect: func() (int, error) {
					at := min(looks, len(test.pieces)-1)
					looks++
					return test.pieces[at], test.fault
				},
				Report: func() error { return nil }, Finished: func() string { return "some" },
			}
			said := ""
			if err := f.Follow(t.Context()); err != nil {
				said = strings.ReplaceAll(err.Error(), directory, "DIRECTORY")
			}
			if said != test.want {
				t.Errorf("it ends with %q, want %q", said, test.want)
			}
			if kept, err := Read(directory); err != nil || (test.fault != nil) != (kept != nil && kept.Stopped) {
				t.Errorf("it keeps %v, %v", kept, err)
			}
		})
	}
}
