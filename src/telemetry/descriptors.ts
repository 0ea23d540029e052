import { readdirSync, readFileSync, statSync } from 'node:fs'

const OWN = '/proc/self/fd'

/** The number of open file descriptors of this process; null if the system does not report it. */
export function openDescriptors(): number | null {
  try {
    // Linux has counted them in the size of this folder since 6.2; listing them may need another
    // descriptor.
    return statSync(OWN).size || readdirSync(OWN).length
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? descriptorsMax() : null
  }
}

let known: number | null | undefined

/** The maximum number of descriptors of this process; null if the system does not report it. */
export function descriptorsMax(): number | null {
  if (known === undefined) known = readMax()
  return known
}

function readMax(): number | null {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return max ? Number(max) : null
  } catch {
    return null
  }
}
