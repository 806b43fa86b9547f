package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/hierml/notebook/hierml/collection"
	"github.com/hierml/notebook/internal/visible"
)

func dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, fetch and check public data sets",
		Long: `Data lists the data sets that collection.Open finds by name, fetches their files, and compares the files with
their checksums.`,
		Example: `  hierml data list
  hierml data get 20news-bydate`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(dataListCommand(), dataGetCommand(), dataVerifyCommand())
	return cmd
}

func dataListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the data sets of the catalogue, or the details of one",
		Long: `List prints a line for each data set that collection.Open finds by name. With NAME, it prints
the licence, source, files and checksums of that data set.`,
		Example: `  hierml data list
  hierml data list 20news-bydate`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), collection.Catalogue())
				return err
			}
			e, err := listed(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), e)
			return err
		},
	}
}

// listed returns the data set of the catalogue.
func listed(name string) (collection.Entry, error) {
	all := collection.Catalogue()
	i := slices.IndexFunc(all, func(e collection.Entry) bool { return e.Name == name })
	if i < 0 {
		return collection.Entry{}, fmt.Errorf("no data set %q in the catalogue; `hierml data list` lists them", name)
	}
	return all[i], nil
}

// dataSets returns the names that collection.Open knows: those of the catalogue, and those of the
// taxonomies that lie in the folders where it looks.
func dataSets() []string {
	var names []string
	for _, e := range collection.Catalogue() {
		names = append(names, e.Name)
	}
	const taxonomy = ".hier.tsv"
	for _, folder := range append(filepath.SplitList(os.Getenv(collection.Environment)), collection.Cache()) {
		entries, _ := os.ReadDir(folder) // a folder that cannot be read has no data sets
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), taxonomy); ok {
				names = append(names, name)
			} else if _, err := os.Stat(filepath.Join(folder, e.Name(), e.Name()+taxonomy)); err == nil {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func dataGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get NAME",
		Short: "Fetch the files of a data set",
		Long: `Get downloads those files of a data set that are neither in a folder of HIERML_DATA nor in the
cache, verifies their checksums, and prints their paths. After an interrupt, the next call resumes the download. If a
file cannot be downloaded, get says which file you must put where.`,
		Example: "  hierml data get 20news-bydate",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := listed(args[0]); err != nil {
				return err
			}
			ctx, done := interruptible(cmd.Context())
			defer done()
			bar := &workBar{w: cmd.ErrOrStderr(), terminal: isTerminal(cmd.ErrOrStderr())}
			paths, err := collection.Download{Progress: bar.progress}.Get(ctx, args[0])
			bar.end()
			if err != nil {
				return err
			}
			for _, p := range paths {
				if p == "" {
					continue
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), visible.Text(fmt.Sprint(p))); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func dataVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME]",
		Short: "Verify the checksums of data sets",
		Long: `Verify computes the checksums of the files that collection.Open would use for a data set, and
compares them with the catalogue. Without NAME, it verifies all data sets on this machine.`,
		Example: `  hierml data verify
  hierml data verify 20news-bydate`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			var wrong []string
			for _, e := range collection.Catalogue() {
				if len(args) == 1 && args[0] != e.Name {
					continue
				}
				v, err := collection.VerifyContext(ctx, e.Name)
				if err != nil {
					return err
				}
				here := slices.ContainsFunc(v.Files, func(f collection.Checked) bool { return f.Path != "" })
				if len(args) == 0 && !here {
					continue
				}
				if !v.Right() {
					wrong = append(wrong, e.Name)
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), visible.Text(fmt.Sprint(v))); err != nil {
					return err
				}
			}
			if len(args) == 1 {
				if _, err := listed(args[0]); err != nil {
					return err
				}
			}
			if len(wrong) > 0 {
				return fmt.Errorf("files of %s are wrong or missing", strings.Join(wrong, ", "))
			}
			return nil
		},
	}
}

// workBar shows how far a download or a study is: as a bar on a terminal, as a line now and then
// elsewhere.
type workBar struct {
	w        io.Writer
	terminal bool
	bar      *progressbar.ProgressBar
	said     time.Time
}

func (b *workBar) progress(done float64, state string) error {
	if !b.terminal {
		const seldom = 10 * time.Second
		if time.Since(b.said) < seldom {
			return nil
		}
		b.said = time.Now()
		_, err := fmt.Fprintln(b.w, visible.Text(state))
		return err
	}
	const full = 1000
	if b.bar == nil {
		b.bar = progressbar.NewOptions(full,
			progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetWidth(20),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	b.bar.Describe(visible.Text(state))
	if !math.IsNaN(done) {
		_ = b.bar.Set(int(full * min(max(done, 0), 0.999))) // a bar that cannot be drawn is no reason to stop
	}
	return nil
}

// end removes the bar.
func (b *workBar) end() {
	if b.bar != nil {
		_ = b.bar.Clear() // as above
	}
}
