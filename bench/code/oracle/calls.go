// What go/types takes each call of a module to mean: calls ROOT MODULE < paths
//
// One line of JSON per call, as calls.mjs prints them. Packages of other modules are not read:
// what is called in them is outside, and what only their types could tell is left out.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

type site struct {
	Path string   `json:"path"`
	Line int      `json:"line"`
	Name string   `json:"name"`
	To   [][3]any `json:"to"`
}

type loader struct {
	root, module string
	files        map[string][]string
	fset         *token.FileSet
	std          types.Importer
	known        map[string]*types.Package
	out          *json.Encoder
}

var version = regexp.MustCompile(`^v\d+$|\.v\d+$`)

func main() {
	one := &loader{root: os.Args[1], module: os.Args[2], files: map[string][]string{},
		fset: token.NewFileSet(), known: map[string]*types.Package{}, out: json.NewEncoder(os.Stdout)}
	build.Default.CgoEnabled = false
	one.std = importer.ForCompiler(one.fset, "source", nil)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		given := lines.Text()
		if taken, err := build.Default.MatchFile(filepath.Join(one.root, path.Dir(given)), path.Base(given)); err == nil && taken {
			one.files[path.Dir(given)] = append(one.files[path.Dir(given)], given)
		}
	}
	for folder := range one.files {
		if _, err := one.Import(one.importPath(folder)); err != nil {
			panic(err)
		}
	}
}

func (one *loader) importPath(folder string) string { return path.Join(one.module, folder) }

// Import reads a package of the module, or of the standard library; of others it knows the name.
func (one *loader) Import(name string) (*types.Package, error) {
	if found := one.known[name]; found != nil {
		return found, nil
	}
	if name == one.module || strings.HasPrefix(name, one.module+"/") {
		folder := strings.TrimPrefix(strings.TrimPrefix(name, one.module), "/")
		if folder == "" {
			folder = "."
		}
		if len(one.files[folder]) > 0 {
			return one.check(name, folder), nil
		}
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") {
		if found, err := one.std.Import(name); err == nil {
			return found, nil
		}
	}
	last := path.Base(name)
	if version.MatchString(last) && !strings.Contains(last, ".") {
		last = path.Base(path.Dir(name))
	}
	found := types.NewPackage(name, strings.TrimPrefix(version.ReplaceAllString(last, ""), "go-"))
	found.MarkComplete()
	one.known[name] = found
	return found, nil
}

func (one *loader) check(name, folder string) *types.Package {
	var files []*ast.File
	for _, given := range one.files[folder] {
		file, err := parser.ParseFile(one.fset, filepath.Join(one.root, given), nil, parser.SkipObjectResolution)
		if file != nil && (err == nil || len(file.Decls) > 0) {
			files = append(files, file)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: one, FakeImportC: true, Error: func(error) {}}
	found, _ := config.Check(name, one.fset, files, info)
	one.known[name] = found
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			if call, is := node.(*ast.CallExpr); is {
				one.print(call, info)
			}
			return true
		})
	}
	return found
}

func (one *loader) print(call *ast.CallExpr, info *types.Info) {
	called := ast.Unparen(call.Fun)
	switch index := called.(type) {
	case *ast.IndexExpr:
		called = index.X
	case *ast.IndexListExpr:
		called = index.X
	}
	var name *ast.Ident
	outside := false
	switch what := called.(type) {
	case *ast.Ident:
		name = what
	case *ast.SelectorExpr:
		name = what.Sel
		if from, is := what.X.(*ast.Ident); is {
			if pack, is := info.Uses[from].(*types.PkgName); is {
				outside = !one.own(pack.Imported())
			}
		}
	default:
		return
	}
	place := one.fset.Position(call.Fun.Pos())
	given := site{one.relative(place.Filename), place.Line, name.Name, [][3]any{}}
	if !outside {
		switch object := info.Uses[name].(type) {
		case *types.Func:
			if one.own(object.Pkg()) {
				at := one.fset.Position(object.Origin().Pos())
				given.To = append(given.To, [3]any{one.relative(at.Filename), at.Line, name.Name})
			}
		case *types.Builtin:
		default:
			return
		}
	}
	if err := one.out.Encode(given); err != nil {
		panic(err)
	}
}

func (one *loader) own(pack *types.Package) bool {
	return pack != nil && (pack.Path() == one.module || strings.HasPrefix(pack.Path(), one.module+"/"))
}

func (one *loader) relative(name string) string {
	found, err := filepath.Rel(one.root, name)
	if err != nil {
		panic(err)
	}
	return filepath.ToSlash(found)
}
