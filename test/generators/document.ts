import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { documentOf } from '../support/contract.ts'
import { scratchFolder } from '../support/scratch.ts'
import { World } from '../support/world.ts'
import { HANG_MS, ran, toolbox } from './toolbox.ts'

setDefaultTimeout(HANG_MS)

describe('the document', () => {
  let folder: string

  beforeAll(async () => {
    await toolbox()
    folder = await scratchFolder()
    const document = await documentOf(new World({ publicUrl: 'https://rates.test' }).app)
    await Bun.write(join(folder, 'openapi.json'), JSON.stringify(document))
    await Bun.write(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  })

  test('passes Spectral without errors, warnings or hints', async () => {
    const bin = join(await toolbox(), 'node_modules/.bin/spectral')
    const command = ['node', bin, 'lint', 'openapi.json', '--fail-severity', 'hint', '--quiet']
    expect(await ran(command, folder)).toEqual({ status: 0, output: '', errors: '' })
  })
})
