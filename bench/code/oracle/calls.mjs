// What tsc takes each call of a project to mean: node calls.mjs TYPESCRIPT ROOT < paths
//
// One line of JSON per call: path, line of what is called, its name, and `to`: the places
// [path, line, name] it may mean, none where it is outside the project. A call that the compiler
// cannot tell (a value of type any, a parameter that is a function) is left out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

const [, , folder, root] = process.argv;
const ts = createRequire(import.meta.url)(resolve(folder));
const base = resolve(root);
const paths = readFileSync(0, "utf8").split("\n").filter(Boolean);
const config = ts.getParsedCommandLineOfConfigFile(
  join(base, "tsconfig.json"), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} });
const program = ts.createProgram(paths.map((path) => join(base, path)), {
  ...(config?.options ?? {}),
  noEmit: true, types: [], allowJs: true, checkJs: false, skipLibCheck: true, jsx: ts.JsxEmit.Preserve,
  module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true, target: ts.ScriptTarget.ES2022, incremental: false,
  composite: false, lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
});
const checker = program.getTypeChecker();
const inside = (node) => {
  const path = relative(base, node.getSourceFile().fileName);
  return !path.startsWith("..") && !path.includes("node_modules/");
};
const lineOf = (node) => {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
};
const place = (name) => [relative(base, name.getSourceFile().fileName), lineOf(name), name.text];

/** The node that names a function or class, where it has such a name. */
function naming(node) {
  if (ts.isConstructorDeclaration(node)) return naming(node.parent);
  if (node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) return node.name;
  let above = node.parent;
  while (above && (ts.isParenthesizedExpression(above) || ts.isAsExpression(above) || ts.isSatisfiesExpression(above)))
    above = above.parent;
  const holds = above && (ts.isVariableDeclaration(above) || ts.isPropertyAssignment(above) || ts.isPropertyDeclaration(above));
  return holds && above.initializer && ts.isIdentifier(above.name) ? above.name : undefined;
}

const isCode = (node) =>
  ts.isFunctionLike(node) ? !ts.isFunctionTypeNode(node) && !ts.isCallSignatureDeclaration(node) &&
    !ts.isConstructSignatureDeclaration(node) && !ts.isConstructorTypeNode(node) : ts.isClassLike(node);

/** A symbol without the imports that lead to it; undefined where an import leads nowhere. */
function meant(symbol) {
  if (!(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
  const found = checker.getAliasedSymbol(symbol);
  return found.declarations?.length ? found : undefined;
}

/** The declarations that a call runs; undefined where that cannot be told. */
function declarations(call, name) {
  const own = checker.getResolvedSignature(call)?.declaration;
  if (own && !inside(own)) return [];
  if (own && isCode(own)) {
    const all = own.symbol?.declarations ?? [own];
    return all.filter((one) => isCode(one)).concat(isCode(own) ? [own] : []);
  }
  let symbol = checker.getSymbolAtLocation(name);
  if (!symbol) return undefined;
  if (!(symbol = meant(symbol))) return [];
  const found = symbol.declarations ?? [];
  if (found.length && found.every((one) => !inside(one))) return [];
  const code = found.map((one) => (ts.isVariableDeclaration(one) && one.initializer && isCode(one.initializer) ? one.initializer : one));
  return code.length && code.every(isCode) ? code : undefined;
}

function visit(node) {
  ts.forEachChild(node, visit);
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
  let called = node.expression;
  while (ts.isNonNullExpression(called) || ts.isParenthesizedExpression(called)) called = called.expression;
  const name = ts.isPropertyAccessExpression(called) ? called.name : called;
  const isSuper = name.kind === ts.SyntaxKind.SuperKeyword;
  if (!isSuper && !ts.isIdentifier(name) && !ts.isPrivateIdentifier(name)) return;
  const found = declarations(node, name);
  if (!found) return;
  const names = found.map(naming);
  if (names.some((one) => !one)) return;
  const to = [...new Map(names.map((one) => [one.pos + one.getSourceFile().fileName, place(one)])).values()];
  console.log(JSON.stringify({
    path: relative(base, node.getSourceFile().fileName),
    line: lineOf(node.expression), name: isSuper ? "super" : name.text, to,
  }));
}

for (const path of paths) {
  const file = program.getSourceFile(join(base, path));
  if (file) visit(file);
}
