import { connectorsIn } from '~/connector/folder.ts'
import type { Connector } from '~/connector/schema.ts'
import { CommandFailure } from '../terminal.ts'

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
