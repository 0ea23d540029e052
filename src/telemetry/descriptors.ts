import { readdirSync, readFileSync, statSync } from 'node:fs'

const OWN = '/proc/self/fd'

/** How many file descriptors this process has; null where the system does not say. */
export function openDescriptors(): number | null {
  try {
    // Linux counts them in the size of this folder since 6.2; to list them may want another one.
    return statSync(OWN).size || readdirSync(OWN).length
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EMFILE' ? descriptorsMax() : null
  }
}

let known: number | null | undefined

/** How many it may have; null where the system does not say. */
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
