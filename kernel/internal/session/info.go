package session

import (
	"cmp"
	goversion "go/version"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/hierml/notebook/kernel/internal/wire"
)

func kernelInfo(s *session, _ *request) (any, error) {
	version := s.config.Version
	if version == "" {
		version = buildVersion()
	}
	language := strings.TrimPrefix(runtime.Version(), "go")
	features := []string{}
	if s.debugger() != nil {
		features = append(features, "debugger")
	}
	if !s.config.OneShell {
		features = append(features, "kernel subshells")
	}
	return wire.KernelInfoReply{
		Status:                "ok",
		ProtocolVersion:       wire.Version,
		Implementation:        "hierml",
		ImplementationVersion: version,
		LanguageInfo:          LanguageInfo(),
		Banner:                "Go " + language + " with hierml " + version + ", for research on hierarchical classification",
		HelpLinks: []wire.HelpLink{
			{Text: "Go", URL: "https://go.dev/doc/"},
			{Text: "Go standard library", URL: "https://pkg.go.dev/std"},
			{Text: "gonum", URL: "https://pkg.go.dev/gonum.org/v1/gonum"},
			{Text: "gonum/plot", URL: "https://pkg.go.dev/gonum.org/v1/plot"},
		},
		Debugger:          s.debugger() != nil,
		SupportedFeatures: features,
	}, nil
}

// LanguageInfo returns the description of Go that the kernel reports. Front ends store it in each
// notebook that they save. The version is that of the language, so a minor release of Go does not
// change notebooks.
func LanguageInfo() wire.LanguageInfo {
	return wire.LanguageInfo{
		Name:           "go",
		Version:        strings.TrimPrefix(cmp.Or(goversion.Lang(runtime.Version()), runtime.Version()), "go"),
		MIMEType:       "text/x-go",
		FileExtension:  ".go",
		PygmentsLexer:  "go",
		CodeMirrorMode: "go",
	}
}

// buildVersion returns the version of the program's module as recorded by the build; a build from a
// working tree may have none.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.0.0+devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
