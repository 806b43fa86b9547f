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
		Short: "Build web sites whose notebooks run in the browser",
		Long: `Lite builds and serves web sites of notebooks for readers who only have a browser: JupyterLite, with Go in the
page itself. Cells are interpreted there, by one thread. Other programs, modules and files outside of the site are not
available.`,
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
		Short: "Build a site from the notebooks of a folder",
		Long: `Build builds a site from the notebooks and other files of a folder. The site is a folder of static files, which any
web server can serve.

The kernel for the browser and JupyterLite are not in this program. "go run ./install lite", in a clone of the
repository, builds and fetches them once, and keeps them in your cache folder.`,
		Example: `  hierml lite build lessons -o public
  hierml lite serve public`,
		Args: asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if info, err := os.Stat(args[0]); err != nil || !info.IsDir() {
				return fmt.Errorf("%s is not a folder", args[0])
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
	cmd.Flags().StringVarP(&site, "output", "o", "site", "the `folder` of the site; it must be new or empty")
	return cmd
}

func liteServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "serve SITE",
		Short:   "Serve a site on this machine, as a preview",
		Long:    "Serve serves a site on the loopback address until you interrupt it.",
		Example: "  hierml lite serve public",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, done := interruptible(cmd.Context())
			defer done()
			if err := lite.Serve(ctx, args[0], func(address string) {
				fmt.Fprintln(cmd.OutOrStdout(), address, "serves the site; Ctrl-C stops it")
			}); err != nil {
				return err
			}
			return context.Cause(ctx)
		},
	}
}
