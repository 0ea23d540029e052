import { describe, expect, test } from 'bun:test'
import { scriptOutput } from '../support/child.ts'
import { FAULTS, isChosen, unknownNames } from './faults.ts'

const chosen = (...asked: string[]): string[] =>
  Object.keys(FAULTS).filter((name) => isChosen(asked, name))

describe('bun run fault --only', () => {
  test('accepts every fault by its short name and by the name in the table', () => {
    for (const [name, fault] of Object.entries(FAULTS)) {
      expect([fault.name, unknownNames([name, fault.name])]).toEqual([fault.name, []])
      expect(chosen(name)).toEqual([name])
      expect(chosen(fault.name)).toEqual([name])
    }
    expect(chosen('Revoked key', 'overload')).toEqual(['revoked-key', 'overload'])
  })

  test('reports an unknown name, and lists the faults by both names', async () => {
    const { status, stdout, stderr } = await scriptOutput([
      ...(['test/fault/main.ts', '--only', 'revoked key', '--only', 'locusts'] as const),
    ])
    expect([status, stderr]).toEqual([2, 'no such fault: locusts\n'])
    expect(stdout).toMatch(/^ {2}revoked-key +revoked key$/m)
  })
})
