import { type Static, Type } from '@sinclair/typebox'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import { Instant, namedRecord, nullable } from '../fields.ts'
import { iso } from '../present.ts'

export const ConnectorState = namedRecord('ConnectorState', {
  name: Type.String(),
  last_run: nullable(Instant),
  last_success: nullable(Instant),
  is_failing: Type.Boolean({ description: 'Whether its last run failed.' }),
})

/** A connector as `/status` and the command line show it. */
export const presentConnector = ({
  id,
  triedMs,
  succeededMs,
  isFailing,
}: ConnectorRecord): Static<typeof ConnectorState> => ({
  name: id,
  last_run: triedMs === null ? null : iso(triedMs),
  last_success: succeededMs === null ? null : iso(succeededMs),
  is_failing: isFailing,
})
