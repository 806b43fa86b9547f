//go:build unix

package farm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sbatchOptions are all options of sbatch 22.05.
var sbatchOptions = strings.Fields(`account acctg-freq array batch bb bbf begin chdir cluster-constraint clusters comment constraint container contiguous
	core-spec cores-per-socket cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution error exclude exclusive export
	export-file extra-node-info get-user-env gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags help hint hold
	ignore-pbs immediate input job-name kill-on-invalid-dep licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus
	network nice no-kill no-requeue nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket open-mode output
	overcommit oversubscribe parsable partition power prefer priority profile propagate qos quiet reboot requeue reservation signal
	sockets-per-node spread-job switches test-only thread-spec threads-per-core time time-min tmp uid umask usage use-min-nodes verbose version
	wait wait-all-nodes wckey wrap`)

// harmful are those that run a command, read or write a file, change who runs the job, how many
// parts it has, what it prints or what is waited for, or put it out of sight.
var harmful = strings.Fields(`array batch bb bbf chdir clusters comment container dependency error export export-file get-user-env gid help hold
	ignore-pbs immediate input job-name kill-on-invalid-dep mail-type mail-user no-kill no-requeue nodefile ntasks ntasks-per-gpu ntasks-per-node
	ntasks-per-socket open-mode output overcommit parsable profile propagate quiet reboot requeue signal test-only uid umask usage verbose version wait wrap`)

// TestSlurmOptions makes options of all beginnings of the names of all options, as sbatch takes
// them for the names, of letters, and of words that are no options: none comes through that could
// stand for a harmful one.
func TestSlurmOptions(t *testing.T) {
	var words []string
	for _, name := range sbatchOptions {
		for n := range len(name) + 1 {
			for _, dashes := range []string{"", "-", "--", "---"} {
				word := dashes + name[:n]
				words = append(words, word, word+"=x", word+"=", word+" x", word+"\nx", word+"x", strings.ToUpper(word)+"=x")
			}
		}
	}
	for c := rune(' '); c < 0x7f; c++ {
		words = append(words, "-"+string(c), "-"+string(c)+"foo", "-"+string(c)+"=foo", "-n"+string(c), "--"+string(c))
	}
	allowed := make(map[string]bool)
	for _, word := range words {
		if (Slurm{Options: []string{word}}).check() != nil {
			continue
		}
		name, _, _ := strings.Cut(word, "=")
		option, ok := strings.CutPrefix(name, "--")
		if !ok || !slices.Contains(sbatchOptions, option) || slices.Contains(harmful, option) {
			t.Errorf("%q comes through", word)
		}
		allowed[option] = true
	}
	for _, option := range sbatchOptions {
		if slices.Contains([]string{"partition", "time", "mem", "cpus-per-task", "account", "qos", "constraint", "gres", "gpus", "nodelist", "exclude", "exclusive", "licenses", "reservation"}, option) && !allowed[option] {
			t.Errorf("--%s does not come through", option)
		}
	}
	for _, value := range []string{"", " ", "a b", "a\nb", "a\x00b", "/etc/passwd", "./a", "a'b", `a"b`, "a\\b", "$(id)", "`id`", "a;b", "a<b", "é", "a\x1b[0m"} {
		if (Slurm{Options: []string{"--partition=" + value}}).check() == nil {
			t.Errorf("the value %q comes through", value)
		}
	}
	for _, word := range []string{"--partition=main,big", "--time=1-12:00:00", "--mem=4G", "--gres=gpu:a100:2", "--constraint=[a&b|c*2]", "--nodelist=n[1-3,7]", "--nice=-10", "--begin=now+1hour", "--exclusive", "--exclusive=user", "--contiguous", "--gpus=2"} {
		if err := (Slurm{Options: []string{word}}).check(); err != nil {
			t.Errorf("%q: %v", word, err)
		}
	}
}

// FuzzSlurmOption holds that what comes through has the form of an option of a whole name, in one
// word.
func FuzzSlurmOption(f *testing.F) {
	for _, word := range []string{"--mem=4G", "--wr=id", "-Wfoo", "--time=1 --wrap=id", "--exclusive", "--", "--mem"} {
		f.Add(word)
	}
	form := regexp.MustCompile(`^--([a-z-]+)(=[!-~]+)?$`)
	f.Fuzz(func(t *testing.T, word string) {
		if (Slurm{Options: []string{word}}).check() != nil {
			return
		}
		if is := form.FindStringSubmatch(word); is == nil || !slices.Contains(sbatchOptions, is[1]) || slices.Contains(harmful, is[1]) {
			t.Errorf("%q comes through", word)
		}
	})
}

// hostileIDs are none of Slurm's.
var hostileIDs = []string{"", "-1", "--me", "-u", "--user=root", "--", "0x1", "1 2", "1,2", "1_3", "1.batch", "12\n", "12;main", "+1", "１２", "1e3", "*", "../1", "1234567890123456789"}

// TestSlurmIDs checks that Slurm's programs get ids that are numbers, and of the output of squeue
// only numbers of parts and names of machines.
func TestSlurmIDs(t *testing.T) {
	script := `echo "$0 $*" >> ` + filepath.Join(t.TempDir(), "ran") + "\n"
	ran := strings.Fields(script)[4]
	programs(t, map[string]string{"sbatch": script, "squeue": script, "scancel": script, "scontrol": script})
	for _, id := range hostileIDs {
		j := job(t)
		j.After = id
		_, submitted := Slurm{}.Submit(t.Context(), j)
		_, asked := Slurm{}.State(t.Context(), id)
		for doing, err := range map[string]error{"Submit": submitted, "State": asked, "Cancel": Slurm{}.Cancel(t.Context(), "1", id)} {
			if err == nil && (doing != "Submit" || id != "") {
				t.Errorf("%s of %q gives no error", doing, id)
			}
		}
		if id == "" { // no job comes before
			if err := os.Remove(ran); err != nil {
				t.Error(err)
			}
		}
	}
	if text, err := os.ReadFile(ran); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("these ran: %s, %v", text, err)
	}
	for _, part := range append(hostileIDs, "N/A", "3 --me") {
		for _, machines := range []string{"n[1-2]", "--help,n1", "-x[1]", "$(id),n1", "[1", ",", "n1,n2;id"} {
			line := fmt.Sprintf("12|%s|RUNNING|%s|%s", part, machines, launchFailed)
			programs(t, map[string]string{"squeue": "echo " + quote(line) + "\n", "scontrol": script})
			state, err := Slurm{}.State(t.Context(), "12")
			if (err == nil) != (machines == "n[1-2]") && !strings.Contains(part, "\n") {
				t.Errorf("%q: %+v, %v", line, state, err)
			}
		}
	}
	text, err := os.ReadFile(ran)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "/scontrol -- show hostnames n[1-2]\n") {
			t.Errorf("it ran %s", line)
		}
	}
}
