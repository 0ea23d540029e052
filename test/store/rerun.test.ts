import { describe, expect, test } from 'bun:test'
import { rerun, wasBrokenOff } from '~/store/rerun.ts'

const coded = (code: string): Error => Object.assign(new Error('x'), { code })

/** Work that fails with these codes, one a run, and then succeeds. */
function failing(...codes: string[]) {
  const failures = codes.map(coded)
  let runs = 0
  const work = async () => {
    runs++
    const failure = failures.shift()
    if (failure) throw failure
    return 'done'
  }
  return { work, runs: () => runs }
}

describe('rerun', () => {
  test('runs again what a deadlock or a replay broke off, three times at most', async () => {
    const twice = failing('40P01', '40001')
    expect(await rerun(twice.work)).toBe('done')
    expect(twice.runs()).toBe(3)
    const always = failing('40P01', '40P01', '40P01')
    expect(await rerun(always.work).catch(wasBrokenOff)).toBe(true)
    expect(always.runs()).toBe(3)
  })

  test.each(['23505', '57014', '08006', '55P03'])('passes %s on at once', async (code) => {
    const { work, runs } = failing(code)
    expect(await rerun(work).catch((error) => error.code)).toBe(code)
    expect(runs()).toBe(1)
  })
})
