package stores

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/models"
)

// quantization matches the quantization at the end of a name, as publishers of GGUF files write it: Q4_K_M, q8_0,
// IQ2_XXS, UD-Q4_K_XL, BF16, MXFP4.
var quantization = regexp.MustCompile(
	`(?i)(?:^|[-._])((?:UD-)?(?:I?Q[0-9](?:_[0-9A-Z]+)*|TQ[12]_0|BF16|FP?16|FP?32|MXFP4(?:_MOE)?|NVFP4))$`)

// QuantizationOf returns the quantization that the path of a GGUF file in a repository names, in capitals: that of the
// file name, or of its directory. It is "" if neither does.
func QuantizationOf(file string) string {
	for _, name := range []string{models.NameOf(file), filepath.Base(filepath.Dir(file))} {
		if m := quantization.FindStringSubmatch(name); m != nil {
			return strings.ToUpper(m[1])
		}
	}
	return ""
}

// IsProjector reports whether the name of a file is that of the part of a model that reads images (mmproj), which is no
// model by itself.
func IsProjector(path string) bool {
	return strings.HasPrefix(strings.ToLower(filepath.Base(path)), "mmproj")
}

// readHub reads the cache of Hugging Face's libraries: models--OWNER--REPO/snapshots/COMMIT/FILE, where files are links
// to blobs, and refs/main names the current commit. Models of other commits have the commit in their names; a file that
// several commits share belongs to the first of them, the current one before others.
func readHub(s store) (found []Found, errs []error) {
	repositories, _ := filepath.Glob(filepath.Join(escapeGlob(s.dir), "models--*"))
	for _, dir := range repositories {
		group := hubPrefix + strings.Replace(strings.TrimPrefix(filepath.Base(dir), "models--"), "--", "/", 1)
		commits, _ := os.ReadDir(filepath.Join(dir, "snapshots"))
		current := readLine(filepath.Join(dir, "refs", "main"))
		slices.SortStableFunc(commits, func(a, b os.DirEntry) int {
			return boolean(b.Name() == current) - boolean(a.Name() == current)
		})
		blobs := make(map[string]bool)
		for _, commit := range commits {
			snapshot, named := filepath.Join(dir, "snapshots", commit.Name()), group
			if len(commits) > 1 && commit.Name() != current {
				named += "@" + commit.Name()[:min(7, len(commit.Name()))]
			}
			files, unread := s.ggufs(snapshot)
			errs = append(errs, unread...)
			files = slices.DeleteFunc(files, func(file string) bool {
				blob, err := filepath.EvalSymlinks(filepath.Join(snapshot, filepath.FromSlash(file)))
				twice := err == nil && blobs[blob]
				blobs[blob] = true
				return twice
			})
			found = append(found, inRepository(s.from, named, snapshot, files)...)
		}
	}
	return found, errs
}

// escapeGlob makes a path a pattern that matches it alone.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readLine returns the content of a small file without blanks around it, "" if it cannot be read.
func readLine(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, 100))
	return strings.TrimSpace(string(text))
}
