import { expect, test } from 'bun:test'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localFolder } from '~/connector/files.ts'
import { scratchFolder } from '../support/scratch.ts'

test('a folder lists files and links to files, and nothing hidden, broken or deeper', async () => {
  const folder = await scratchFolder()
  await mkdir(join(folder, 'deeper.csv'))
  for (const name of ['today.csv', '.part.csv', 'notes.txt', 'deeper.csv/other.csv'])
    await writeFile(join(folder, name), 'To,Rate\n')
  await symlink('today.csv', join(folder, 'latest.csv'))
  await symlink('gone.csv', join(folder, 'broken.csv'))
  const found = await localFolder(folder).list(new Bun.Glob('*.csv'), 10)
  expect(found.map(({ name }) => name).sort()).toEqual(['latest.csv', 'today.csv'])
})

test('a folder that is missing cannot be read', async () => {
  const missing = localFolder(join(await scratchFolder(), 'none'))
  await expect(missing.list(new Bun.Glob('*'), 10)).rejects.toThrow('cannot be read: ENOENT')
})
