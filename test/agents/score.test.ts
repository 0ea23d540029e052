import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { DECLINED, said, type Truth, UNKNOWABLE } from './question.ts'
import { scoreOf } from './score.ts'

const TRUTH: Truth = {
  ...{ isUnknowable: false, figure: 1000, names: ['A', 'B'], date: '2026-09-29' },
  caveats: ['nearest'],
}
const RIGHT = { figure: 1000.9, name: 'B', date: '2026-09-29', caveats: ['nearest'] } as const

describe('scoreOf', () => {
  test('counts a point for each correct claim, with numbers correct to a thousandth', () => {
    expect(scoreOf(TRUTH, said(RIGHT))).toEqual({ verdict: 'right', points: 4 })
  })

  test('subtracts two points for a wrong number', () => {
    const reply = said({ ...RIGHT, figure: 1001.1 })
    expect(scoreOf(TRUTH, reply)).toEqual({ verdict: 'wrong', points: 1 })
  })

  test.each([{ name: 'C' }, { date: '2026-09-28' }])('calls %j wrong', (part) => {
    expect(scoreOf(TRUTH, said({ ...RIGHT, ...part }))).toEqual({ verdict: 'wrong', points: 3 })
  })

  test.each([{ caveats: [] }, { date: null }, { figure: null }])(
    'calls %j partly right',
    (part) => {
      expect(scoreOf(TRUTH, said({ ...RIGHT, ...part }))).toEqual({ verdict: 'partly', points: 3 })
    },
  )

  test('rewards declining only for unknowable questions', () => {
    expect(scoreOf(TRUTH, DECLINED)).toEqual({ verdict: 'declined wrongly', points: 0 })
    expect(scoreOf(UNKNOWABLE, DECLINED)).toEqual({ verdict: 'declined rightly', points: 1 })
    expect(scoreOf(UNKNOWABLE, said(RIGHT))).toEqual({ verdict: 'wrong', points: -2 })
  })

  test('reads lists in their order', () => {
    const truth: Truth = { isUnknowable: false, list: ['GB/KE', 'US/NG'], caveats: [] }
    expect(scoreOf(truth, said({ list: ['GB/KE', 'US/NG'] })).verdict).toBe('right')
    expect(scoreOf(truth, said({ list: ['US/NG', 'GB/KE'] })).verdict).toBe('wrong')
  })
})

describe('the truth', () => {
  test('comes from the database alone: no template imports code of the service', async () => {
    const files = [...new Glob('template/*.ts').scanSync(import.meta.dir), 'question.ts']
    expect(files.length).toBeGreaterThan(4)
    for (const file of [...files, 'wording.ts', 'score.ts']) {
      const text = await Bun.file(new URL(file, import.meta.url)).text()
      const imports = [...text.matchAll(/from '(~[^']+)'/g)].map(([, path]) => path)
      expect([file, imports.filter((path) => path !== '~/store/database.ts')]).toEqual([file, []])
    }
  })
})
