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

// looks are pieces of which so many are missing, one look after the other.
type looks struct {
	Pieces
	missing []int
	fault   error // of the last look
	done    int
}

func (l *looks) Collect(*Submission) (int, error) {
	at := min(l.done, len(l.missing)-1)
	l.done++
	return l.missing[at], l.fault
}
func (l *looks) Report(farm.State) error { return nil }
func (l *looks) Finished() string        { return "some" }

// TestFollow waits for pieces of a farm that does not answer: for as long as they come, and
// otherwise not for ever.
func TestFollow(t *testing.T) {
	for _, test := range []struct {
		name    string
		patient time.Duration
		pieces  []int // that are missing, one look after the other
		fault   error // of the last look
		want    string
	}{
		{"all come", time.Hour, []int{3, 1, 0}, nil, ""},
		{"none come", 0, []int{3}, nil, "farm: job 7 may still run, with some finished: wait again to wait for the rest, or stop it (experiment.Stop, hierml study stop DIRECTORY): the farm has not answered for 0s: farm: asking after job 7: no controller"},
		{"a machine has a fault", time.Hour, []int{3}, &Fault{"the machine has no disk"}, "the machine has no disk"},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer func(d time.Duration) { silence = d }(silence)
			silence = test.patient
			directory := t.TempDir()
			w := &Work{
				Directory: directory, Again: "wait again", Pieces: &looks{missing: test.pieces, fault: test.fault},
				submission: &Submission{Attempts: []Attempt{{{Name: "0001-1", ID: "7"}}}, Farm: mute{}},
			}
			said := ""
			if err := w.follow(t.Context()); err != nil {
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
