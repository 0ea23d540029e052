import { plugin } from 'bun'
import typescript from 'typescript-5'

/** Prints the types that `openapi-typescript` makes of the OpenAPI document in a file. */
plugin({
  name: 'the compiler API that openapi-typescript is written for',
  setup: (build) =>
    void build.module('typescript', () => ({ exports: { default: typescript }, loader: 'object' })),
})

const { default: typesOf, astToString } = await import('openapi-typescript')
const document = await Bun.file(process.argv[2]!).json()
process.stdout.write(astToString(await typesOf(document)))
