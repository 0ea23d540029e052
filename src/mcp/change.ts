import { Type } from '@sinclair/typebox'
import { PERIODS } from '~/domain/period.ts'
import { corridorChange } from '~/service/change.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { presentChange } from '~/wire/change.ts'
import { words } from '~/wire/fields.ts'
import { staleNote } from '~/wire/note.ts'
import { shortened } from './answer/short.ts'
import { corridorFields, detailField } from './argument/fields.ts'
import { paged } from './page.ts'
import { type Tool, tool } from './tool.ts'

const WITHOUT = new Set(['source'])

export const getChange = (past: SnapshotDeps): Tool =>
  tool({
    name: 'get_change',
    isKnowing: true,
    title: 'How much rates moved',
    description:
      'The change of the mid-market rate (`change.mid`) and of the best rate that money can be ' +
      'moved at (`change.best`) over a period that ends now, absolute (`abs`) and in percent ' +
      '(`pct`). More `to` for one `from` is up.',
    input: Type.Object({
      ...corridorFields,
      period: words(PERIODS, { default: '7d', description: 'How far back from now.' }),
      ...detailField,
    }),
    async answer({ args, view, then = past }) {
      const change = await corridorChange(then, view, args)
      const { start, end } = change
      const missing = (what: string, isThen: boolean, isNow: boolean) =>
        isThen && isNow ? null : `There was no ${what} ${isThen ? 'at the end' : 'at the start'}.`
      const body = paged(
        presentChange(change, view.freshness),
        {},
        missing('mid', start.mid !== null, end.mid !== null),
        missing('best rate', start.best !== null, end.best !== null),
        end.stale && staleNote({ quote: end.stale, isStale: true }),
      )
      if (args.detail === 'full') return body
      return shortened(body, { args, entries: ['start', 'end'], without: WITHOUT })
    },
  })
