import { describe, expect, test } from 'bun:test'
import ts from 'typescript-5'
import en from '~/portal/words/en.json'

/** The messages that the sources name: in full, or by a part if a type leaves the rest open. */
function namedMessages(): Set<string> {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  const files = [...new Bun.Glob('src/portal/**/*.{ts,tsx}').scanSync('.')]
  const program = ts.createProgram(files, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const named = new Set<string>()
  const nameAll = (start: string, { type }: { type: ts.Type }, end: string) => {
    for (const one of type.isUnion() ? type.types : [type])
      if (one.isStringLiteral()) named.add(start + one.value + end)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) named.add(node.text)
    if (ts.isTemplateExpression(node) && node.templateSpans.length === 1) {
      const [span] = node.templateSpans
      const type = checker.getTypeAtLocation(span!.expression)
      nameAll(node.head.text, { type: checker.getNonNullableType(type) }, span!.literal.text)
    }
    ts.forEachChild(node, visit)
  }
  for (const file of files) visit(program.getSourceFile(file)!)
  return named
}

describe('the messages', () => {
  test('are all used by a page or an email', () => {
    const named = namedMessages()
    expect(Object.keys(en).filter((key) => !named.has(key))).toEqual([])
  })
})
