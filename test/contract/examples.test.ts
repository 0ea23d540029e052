import { beforeAll, describe, expect, test } from 'bun:test'
import type { Examples } from '~/wire/openapi/response.ts'
import { recordedExamples } from './example-run.ts'
import { EXAMPLES_FILE } from './examples.ts'

const START_MS_MAX = 60_000

describe('the examples of the document', () => {
  let recorded: Examples

  beforeAll(async () => {
    recorded = await recordedExamples()
  }, START_MS_MAX)

  test("are the service's responses; if not, find out why, then run: bun run examples", async () => {
    expect(recorded).toEqual(await Bun.file(EXAMPLES_FILE).json())
  })
})
