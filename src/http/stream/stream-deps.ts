import type { AccessDeps } from '~/http/access.ts'
import type { Patience } from '~/http/edge/patience.ts'
import type { StreamHub } from '~/service/stream/hub.ts'
import type { StreamSlots } from '~/service/stream/slots.ts'
import type { StreamTokens } from '~/service/stream/tokens.ts'
import type { OpenStreams } from './open-streams.ts'

export type StreamDeps = AccessDeps & {
  readonly streams: {
    readonly hub: Pick<StreamHub, 'open'>
    readonly slots: Pick<StreamSlots, 'take' | 'free'>
    readonly tokens: StreamTokens
    readonly open: OpenStreams
    readonly patience: Patience
  }
}
