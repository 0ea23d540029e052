import type { ComponentType } from 'preact'
import { type MethodFacts, VersionOne } from './version-1.tsx'
import { VersionTwo } from './version-2.tsx'

export type Version = {
  readonly number: number
  readonly date: string
  readonly Text: ComponentType<MethodFacts>
}

/** Every version of the methodology, newest first; texts never change once another follows. */
export const VERSIONS: readonly [Version, ...Version[]] = [
  { number: 2, date: '2026-11-26', Text: VersionTwo },
  { number: 1, date: '2026-11-24', Text: VersionOne },
]
