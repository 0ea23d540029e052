import { beforeAll, describe, expect, test } from 'bun:test'
import type { Examples } from '~/wire/openapi/response.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { recordedExamples } from './example-run.ts'
import { EXAMPLES_FILE } from './examples.ts'

describe('the examples of the document', () => {
  let recorded: Examples

  beforeAll(async () => {
    recorded = await recordedExamples()
  }, TEST_MS_MAX)

  test("are the service's responses; if not, find out why, then run: bun run examples", async () => {
    expect(recorded).toEqual(await Bun.file(EXAMPLES_FILE).json())
  })
})
