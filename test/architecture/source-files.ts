import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One import or re-export as it is written. */
export interface ImportSite {
  /** `src/engine/plan.ts:3`. */
  readonly place: string;
  readonly file: string;
  /** The file it leads to, else the package or `node:` name as written. */
  readonly target: string;
  readonly reExport: boolean;
}

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly ImportSite[];
  readonly defaultExports: readonly string[];
  /** `process.env`, `console.log`, each as `<place> <name>`. */
  readonly ambient: readonly { readonly place: string; readonly name: string }[];
}

/** Every TypeScript file below src, parsed. */
export function sourceFiles(): readonly SourceFile[] {
  const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => parse(['src', ...name.split(sep)].join('/')))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parse(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.TS);
  const imports: ImportSite[] = [];
  const defaultExports: string[] = [];
  const ambient: { place: string; name: string }[] = [];
  const placeOf = (node: ts.Node) => `${path}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
  const add = (node: ts.Node, specifier: ts.Expression | undefined, reExport: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    imports.push({ place: placeOf(node), file: path, target: targetOf(path, specifier.text), reExport });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, false);
    if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, true);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node, node.argument.literal, false);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node, node.arguments[0], false);
    if (ts.isExportAssignment(node)) defaultExports.push(placeOf(node));
    if (ts.isExportSpecifier(node) && node.name.text === 'default') defaultExports.push(placeOf(node));
    if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword))
      defaultExports.push(placeOf(node));
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const name = node.expression.text;
      if (name === 'process' || name === 'console')
        ambient.push({ place: placeOf(node), name: `${name}.${node.name.text}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { path, lines: text.split('\n').length - 1, imports, defaultExports, ambient };
}

function targetOf(path: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return relative(ROOT, resolve(ROOT, dirname(path), specifier))
    .split(sep)
    .join('/');
}
