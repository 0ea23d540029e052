import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '~/store/embedded/run.ts'

const CHUNK = Buffer.alloc(65_536, 1)

/** A separate file system of a fixed size, in memory. Creating it requires root. */
export class Disk {
  private constructor(readonly path: string) {}

  static async mount(path: string, megabytes: number): Promise<Disk> {
    await mkdir(path, { mode: 0o755 })
    const options = `size=${megabytes}m,mode=755`
    const { code, output } = await run(
      '/bin/mount',
      ['-t', 'tmpfs', '-o', options, 'tmpfs', path],
      null,
    )
    if (code !== 0) throw new NoDisk(`a disk of a fixed size needs root: ${output.trim()}`)
    return new Disk(path)
  }

  /** Takes all remaining space. */
  async fill(): Promise<void> {
    const filler = await open(this.#filler, 'w')
    try {
      for (;;) await filler.write(CHUNK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      await filler.close()
    }
  }

  async free(): Promise<void> {
    await rm(this.#filler, { force: true })
  }

  async unmount(): Promise<void> {
    await run('/bin/umount', ['-l', this.path], null)
  }

  get #filler(): string {
    return join(this.path, 'filler')
  }
}

/** This machine does not allow a disk of our own. */
export class NoDisk extends Error {}
