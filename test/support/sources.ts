import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One source file of the project, parsed. */
export interface Source {
  /** From the project's root, with slashes. */
  readonly path: string;
  readonly ast: ts.SourceFile;
  /** What it imports or exports from, as written; type-only ones too. */
  readonly imports: readonly string[];
}

/** All TypeScript files below a folder, what is built or generated excepted. */
export function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name) && !name.endsWith('.d.ts') && !/(^|\/)(node_modules|dist)\//.test(name))
    .filter((name) => statSync(join(root, folder, name)).isFile())
    .map((name) => parse(join(folder, name)));
}

function parse(path: string): Source {
  const ast = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.ES2022, true);
  return { path, ast, imports: specifiers(ast) };
}

function specifiers(ast: ts.SourceFile): string[] {
  const found: string[] = [];
  visit(ast, (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      found.push((node.moduleSpecifier as ts.StringLiteral).text);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      found.push(argument !== undefined && ts.isStringLiteral(argument) ? argument.text : '(computed)');
    }
  });
  return found;
}

/** The file a relative import leads to, from the project's root. */
export function target(from: Source, specifier: string): string {
  return relative(root, join(root, dirname(from.path), specifier)).replace(/\.js$/, '.ts');
}

export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}
