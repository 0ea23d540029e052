import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT, scriptOutput } from '../support/child.ts'
import type { Document } from '../support/contract.ts'
import { clientDocument } from './client-document.ts'
import { documentTypes } from './document-types.ts'
import { clientSource } from './methods.ts'

const SOURCES = join(ROOT, 'src/client')
const HELD = ['openapi-fetch', 'eventsource-parser']
const ENTRY = 'corridor.ts'

/** Parts of the declarations: each file needs only those before it. */
const DECLARED = [
  ...['document', 'operation', 'options', 'corridor-error', 'stream-event', 'call', 'connection'],
]

const COMPILER_OPTIONS = {
  ...{ target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler' },
  ...{ lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ verbatimModuleSyntax: true, allowImportingTsExtensions: true, skipLibCheck: true },
  ...{ declaration: true, emitDeclarationOnly: true, rootDir: 'sources', outDir: 'declared' },
}

/** The client as it is packed: a module without imports, and the declarations of its types. */
export type BuiltClient = { readonly script: string; readonly types: string }

/**
 * Builds the client for the operations of a document, in an empty folder. Throws if its sources do
 * not compile with the document's types.
 */
export async function builtClient(document: Document, folder: string): Promise<BuiltClient> {
  const sources = join(folder, 'sources')
  await mkdir(sources, { recursive: true })
  for (const name of await readdir(SOURCES))
    await copyFile(join(SOURCES, name), join(sources, name))
  await Bun.write(join(sources, 'document.ts'), await documentTypes(clientDocument(document)))
  await Bun.write(join(sources, ENTRY), clientSource(document))
  const config = { compilerOptions: COMPILER_OPTIONS, include: ['sources'] }
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(config))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const tsc = await scriptOutput(['node_modules/typescript/bin/tsc', '-p', folder])
  if (tsc.status !== 0) throw new Error(`the client does not compile:\n${tsc.stdout}`)
  return { script: await bundled(join(sources, ENTRY)), types: await declarations(folder) }
}

/** The client and its imports in one module, with the licences that must be retained. */
async function bundled(entry: string): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser', format: 'esm' })
  const text = await outputs[0]!.text()
  const licences = HELD.map(async (name) => {
    const licence = await Bun.file(join(ROOT, 'node_modules', name, 'LICENSE')).text()
    return `It holds ${name}:\n\n${licence}`
  })
  const head = ["Corridor's client, MIT licence.", ...(await Promise.all(licences))].join('\n')
  return `/*!\n${head}*/\n${text.replace(/^\/\/ \S+\.[cm]?[jt]s\n/gm, '')}`
}

/** The declarations of all files in one, of which only the entry's exports are exports. */
async function declarations(folder: string): Promise<string> {
  const texts = [...DECLARED, ENTRY.replace('.ts', '')].map(async (name) => {
    const text = await Bun.file(join(folder, 'declared', `${name}.d.ts`)).text()
    return text
      .replace(/^(import .*|export \{\};)\n/gm, '')
      .replace(/^export (?=declare|type \w)/gm, '')
  })
  return (await Promise.all(texts)).join('')
}
