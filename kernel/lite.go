package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hierml/notebook/internal/lite"
)

func liteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lite",
		Short: "Make sites on which notebooks run in the reader's browser",
		Long: `Lite makes and serves sites of notebooks for readers who have nothing but a browser: JupyterLite, with Go in the
page itself. Cells are interpreted there, by one thread; other programs, modules and files outside of the site
cannot be had.`,
		Example: `  hierml lite build lessons -o public
  hierml lite serve public`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args: asUsed,
	}
	cmd.AddCommand(liteBuildCommand(), liteServeCommand())
	return cmd
}

func liteBuildCommand() *cobra.Command {
	var site string
	cmd := &cobra.Command{
		Use:   "build DIR",
		Short: "Make a site from the notebooks of a folder",
		Long: `Build makes a site from the notebooks of a folder, and whatever else is in it. The site is files, which anything
can serve that serves files: a host of static pages, say.

The kernel for the browser and JupyterLite are not in this program. "go run ./install lite", in a clone of the
repository, builds and fetches them once, and keeps them in the user's cache folder.`,
		Example: `  hierml lite build lessons -o public
  hierml lite serve public`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
				return fmt.Errorf("%s is no folder with notebooks", args[0])
			}
			parts, err := lite.Kept(lite.Folder())
			if err != nil {
				return err
			}
			summary, err := lite.Build(site, args[0], parts)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d files, %.1f MB\n", site, summary.Files, float64(summary.Bytes)/1e6)
			return err
		},
	}
	cmd.Flags().StringVarP(&site, "output", "o", "site", "the `folder` of the site, which has to be new or empty")
	return cmd
}

func liteServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "serve SITE",
		Short:   "Serve a site on this machine, for a look at it",
		Long:    "Serve serves a site on the loopback device until it is interrupted.",
		Example: "  hierml lite serve public",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			if err := lite.Serve(ctx, args[0], func(address string) {
				fmt.Fprintln(cmd.OutOrStdout(), address, "has the site, until Ctrl-C")
			}); err != nil {
				return err
			}
			return context.Cause(ctx)
		},
	}
}
