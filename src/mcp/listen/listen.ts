import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server'
import type { Caller } from '~/domain/account.ts'
import type { StreamSlot } from '~/domain/live/stream.ts'
import type { Plan } from '~/domain/quota.ts'
import type { StreamHub } from '~/service/stream/hub.ts'
import { takenSlot } from '~/service/stream/slots.ts'
import { askerOf } from '../asker.ts'
import { type CallDeps, metered } from '../call.ts'
import { protocolError } from '../fault.ts'
import type { Handle } from '../handler.ts'
import { Listening } from './listening.ts'
import { addressesIn, type Subscribed, subscribedTo } from './subscribed.ts'

/** An open subscription, which ends with its key, its plan, and the process. */
type Open = { readonly caller: Caller; beat(): void; end(lastWords?: string): void }

/** Dependencies for opening streams, for subscriptions as for readers of events. */
export type ListenDeps = CallDeps & {
  readonly streams: {
    readonly hub: Pick<StreamHub, 'open'>
    readonly slots: {
      take(accountId: string, plan: Plan): Promise<StreamSlot>
      free(slot: StreamSlot): void
    }
    readonly open: {
      readonly isStopped: boolean
      add(stream: Open): void
      remove(stream: Open): void
    }
  }
}

type Answering = {
  readonly serverFor: McpServerFactory
  onerror(error: Error): void
  /** Responds to what is not a subscription to a resource. */
  readonly handle: Handle
}

/** Handles subscriptions to resources: for a unit each, and a stream slot while they are open. */
export function listenHandler(deps: ListenDeps, { handle, ...making }: Answering): Handle {
  return async (request, given = {}) => {
    const uris = addressesIn(given.parsedBody)
    if (!uris) return handle(request, given)
    const asker = askerOf(given.authInfo)
    try {
      const subscribed = subscribedTo(deps.memory.current.catalogue, uris)
      const answer = (bus: Listening) =>
        createMcpHandler(making.serverFor, { legacy: 'reject', bus, onerror: making.onerror })
      return await metered(deps, asker, async () => {
        const listening = await inSlot(deps, { caller: asker.caller, subscribed })
        const handler = answer(listening)
        listening.endsBy(() => void handler.close().catch(making.onerror))
        return begun(listening, await handler.fetch(request, given))
      })
    } catch (error) {
      if (error instanceof Unopened) return error.reply
      const { code, message, data } = protocolError(error, deps.log)
      const { id } = given.parsedBody as { id: unknown }
      return Response.json({ jsonrpc: '2.0', id, error: { code, message, data } })
    }
  }
}

type SlotRequest = { readonly caller: Caller; readonly subscribed: Subscribed }

/** A subscription that has its stream slot, and holds it until it is over. */
async function inSlot(
  { streams }: ListenDeps,
  { caller, subscribed }: SlotRequest,
): Promise<Listening> {
  const { hub, slots, open } = streams
  const { account, tier } = caller
  const slot = await takenSlot(streams, account)
  const { subscription } = subscribed
  return new Listening({
    ...{ caller, subscribed },
    begin(sink) {
      open.add(sink)
      return hub.open({ tier, subscription, lastEventId: null, sink })
    },
    over(listening) {
      open.remove(listening)
      slots.free(slot)
    },
  })
}

/** The response as its client takes it; one that is not a subscription costs nothing. */
function begun(listening: Listening, reply: Response): Response {
  if (listening.hasBegun) return new Response(listening.passedOn(reply.body!), reply)
  listening.leave()
  throw new Unopened(reply)
}

/** Response of the SDK instead of a subscription. */
class Unopened extends Error {
  constructor(readonly reply: Response) {
    super('no subscription')
  }
}
