import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readConnector, TEXT_LENGTH_MAX } from './definition.ts'

/** Four bytes for each character that a connector may have, and one more. */
const BYTES_MAX = 4 * TEXT_LENGTH_MAX + 1

/**
 * Every YAML file of the folder by name; none if there is no folder. Connectors of one name are not
 * valid.
 */
export async function connectorsIn(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort()
  const found = await Promise.all(
    files.map(async (file) => {
      try {
        const text = await Bun.file(join(folder, file)).slice(0, BYTES_MAX).text()
        return { file, ...readConnector(text) }
      } catch {
        return { file, connector: null, faults: ['cannot be read by this user'] }
      }
    }),
  )
  return found.map((one) => {
    const name = one.connector?.name
    const other = found.find(({ file, connector }) => file !== one.file && connector?.name === name)
    if (name === undefined || !other) return one
    return { ...one, connector: null, faults: [`and ${other.file} are both called ${name}`] }
  })
}
