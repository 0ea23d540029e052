import { mkdir, statfs } from 'node:fs/promises'

/** An observation with its share of the indexes and roll-ups, and of the space for sorting them. */
const ROW_BYTES = 320
/** The references of both histories, the server's logs. */
const BESIDE_BYTES = 1_500_000_000
const SMALL_BYTES = 300_000_000

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** Reports the disk space that the rows need; throws if there is less. */
export async function requireRoom(dir: string, rows: number, say: (line: string) => void) {
  await mkdir(dir, { recursive: true })
  const { bavail, bsize } = await statfs(dir)
  const free = bavail * bsize
  const need = rows * ROW_BYTES + (rows < 1_000_000 ? SMALL_BYTES : BESIDE_BYTES)
  say(`it takes up to ${gigabytes(need)} in ${dir}, where ${gigabytes(free)} are free`)
  if (free < need)
    throw new Error(
      `there is no room for ${rows.toLocaleString('en')} observations in ${dir}: free ` +
        `${gigabytes(need - free)}, set TMPDIR to another disk, or ask for fewer with --rows`,
    )
}
