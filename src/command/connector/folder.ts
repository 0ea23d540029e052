import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Connector, readConnector } from '~/connector/definition.ts'
import { readText } from '../file.ts'
import { CommandFailure, configOf, type Terminal } from '../terminal.ts'

export const CONNECTOR_BYTES_MAX = 1_048_576

/** The folder of the connectors. */
export function folderOf(terminal: Terminal): string {
  const { connectors, dataDir } = configOf(terminal)
  return connectors ?? join(dataDir, 'connectors')
}

/** Every YAML file of the folder by name; none where there is no folder. */
export async function connectorsIn(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort()
  return Promise.all(
    files.map(async (file) => ({
      file,
      ...readConnector(await readText(join(folder, file), CONNECTOR_BYTES_MAX)),
    })),
  )
}

/** The valid connector of that name. Throws CommandFailure where there is not exactly one. */
export async function connectorNamed(name: string, folder: string): Promise<Connector> {
  const found = await connectorsIn(folder)
  const named = found.filter(({ connector }) => connector?.name === name)
  const [first, second] = named
  if (second) throw new CommandFailure(`${first!.file} and ${second.file} are both called ${name}`)
  if (first?.connector) return first.connector
  const invalid = found.filter(({ connector }) => !connector).map(({ file }) => file)
  const also = invalid.length > 0 ? `; not valid: ${invalid.join(', ')}` : ''
  throw new CommandFailure(`no connector in ${folder} is called ${name}${also}`)
}
