import { dirname, join, relative } from 'node:path'
import ts from 'typescript-5'

/** One source file: its text and the facts from its syntax tree. */
export type SourceFile = {
  /** From the root of the checkout. */
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
  readonly functions: readonly FunctionSpan[]
  readonly exports: readonly string[]
  readonly imports: readonly Import[]
  readonly comments: readonly Comment[]
}

/** Place of a function, nested ones and those in JSX too. */
export type FunctionSpan = { readonly name: string; readonly line: number; readonly lines: number }

/** A name imported from another file of the checkout; `*` means all of them. */
export type Import = {
  readonly from: string
  readonly name: string
  /** Says whether the import disappears with the types. */
  readonly isType: boolean
}

export type Comment = { readonly line: number; readonly text: string }

/** The TypeScript files below some folders of a checkout, in the order of their paths. */
export async function sourceFiles(root: string, folders: readonly string[]): Promise<SourceFile[]> {
  const paths = folders.flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root),
  ])
  return Promise.all(
    paths.sort().map(async (path) => {
      const text = await Bun.file(join(root, path)).text()
      return parsed(path, text)
    }),
  )
}

function parsed(path: string, text: string): SourceFile {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const nodes = descendants(tree)
  return {
    path,
    text,
    lines: text.replace(/\n$/, '').split('\n'),
    functions: nodes.flatMap((node) => spanOf(tree, node)),
    exports: tree.statements.flatMap(exportedNames),
    imports: nodes.flatMap((node) => importsOf(path, node)),
    comments: commentsOf(tree, text),
  }
}

function descendants(top: ts.Node): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node) => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(top, visit)
  return found
}

const lineAt = (tree: ts.SourceFile, position: number): number =>
  tree.getLineAndCharacterOfPosition(position).line + 1

function spanOf(tree: ts.SourceFile, node: ts.Node): FunctionSpan[] {
  if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return []
  const line = lineAt(tree, node.getStart())
  const holder = ts.isVariableDeclaration(node.parent) ? node.parent : node
  const name = holder.name?.getText() ?? 'a function without a name'
  return [{ name, line, lines: lineAt(tree, node.end) - line + 1 }]
}

function exportedNames(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (!modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = statement as ts.DeclarationStatement
  return name ? [name.text] : []
}

function importsOf(path: string, node: ts.Node): Import[] {
  if (ts.isImportDeclaration(node)) return declared(path, node)
  if (ts.isExportDeclaration(node)) return fromSpecifier(path, node.moduleSpecifier, ['*'], false)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return fromSpecifier(path, node.argument.literal, ['*'], true)
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return fromSpecifier(path, node.arguments[0], ['*'], false)
  return []
}

function declared(path: string, node: ts.ImportDeclaration): Import[] {
  const { importClause: clause, moduleSpecifier } = node
  const bindings = clause?.namedBindings
  if (!bindings || ts.isNamespaceImport(bindings))
    return fromSpecifier(path, moduleSpecifier, ['*'], clause?.isTypeOnly ?? false)
  return bindings.elements.flatMap((element) =>
    fromSpecifier(
      path,
      moduleSpecifier,
      [(element.propertyName ?? element.name).text],
      (clause?.isTypeOnly ?? false) || element.isTypeOnly,
    ),
  )
}

function fromSpecifier(
  path: string,
  specifier: ts.Node | undefined,
  names: readonly string[],
  isType: boolean,
): Import[] {
  if (!specifier || !ts.isStringLiteral(specifier)) return []
  const from = targetOf(path, specifier.text)
  return from === null ? [] : names.map((name) => ({ from, name, isType }))
}

/** The file of a specifier, from the root; null for a package. */
function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith('~/')) return `src/${specifier.slice(2)}`
  if (!specifier.startsWith('.')) return null
  return relative('.', join(dirname(path), specifier))
}

function commentsOf(tree: ts.SourceFile, text: string): Comment[] {
  const found = new Map<number, string>()
  const note = (ranges: readonly ts.CommentRange[] | undefined) => {
    for (const { pos, end } of ranges ?? []) found.set(pos, text.slice(pos, end))
  }
  for (const node of descendants(tree)) {
    if (ts.isJsxText(node)) continue
    note(ts.getLeadingCommentRanges(text, node.pos))
    note(ts.getTrailingCommentRanges(text, node.end))
  }
  return [...found].map(([pos, comment]) => ({ line: lineAt(tree, pos), text: comment }))
}
