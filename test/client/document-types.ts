import { plugin } from 'bun'
import typescript from 'typescript-5'
import type { ClientDocument } from './client-document.ts'

plugin({
  name: 'the compiler API that openapi-typescript is written for',
  setup: (build) =>
    void build.module('typescript', () => ({ exports: { default: typescript }, loader: 'object' })),
})

/** Used parts of the types: a client requests operations, and their shapes are components. */
const USED = ['components', 'operations']

/** The types that `openapi-typescript` generates from the operations and shapes of a document. */
export async function documentTypes(document: ClientDocument): Promise<string> {
  const { default: typesOf, astToString } = await import('openapi-typescript')
  const nodes = await typesOf(JSON.stringify(document))
  return astToString(nodes.filter((node) => 'name' in node && USED.includes(nameOf(node.name))))
}

const nameOf = (name: unknown): string => (name as typescript.Identifier).text
