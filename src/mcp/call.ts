import { granted, ServiceError } from '~/domain/errors.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type Metering, reserveUnit } from '~/service/metering.ts'
import { noteFailure } from '~/telemetry/request-scope.ts'
import { type ErrorBody, errorBody } from '~/wire/errors.ts'
import type { Asker } from './asker.ts'
import type { Tool } from './tool.ts'

export type CallDeps = {
  readonly memory: Memory
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

/**
 * Does `work` for one unit of the caller's quota: the unit is taken before and given back unless
 * the work succeeds. Throws `quota_exceeded` without doing anything.
 */
export async function metered<T>(
  { metering }: CallDeps,
  { caller, nowMs }: Asker,
  work: (freshness: Freshness) => T | Promise<T>,
): Promise<T> {
  const reservation = granted(await reserveUnit(metering, caller, nowMs))
  try {
    return await work(freshnessAt(caller.tier, nowMs))
  } catch (error) {
    metering.meter.giveBack(reservation)
    throw error
  }
}

type Call = { readonly tool: Tool; readonly given: unknown; readonly asker: Asker }

/**
 * The result of one call: the REST body, both as text and as an object, or the REST error as an
 * error that the model can read.
 */
export async function callTool(deps: CallDeps, { tool, given, asker }: Call) {
  const { memory, ageLimits, log } = deps
  try {
    const body = await metered(deps, asker, (freshness) => {
      const view = new View(memory.current, freshness, ageLimits)
      return tool.answer({ given, view })
    })
    return { content: textOf(body), structuredContent: { ...body } }
  } catch (error) {
    return { content: textOf(failureBody(error, log)), isError: true }
  }
}

const textOf = (body: object) => [{ type: 'text' as const, text: JSON.stringify(body) }]

/** The body that REST gives a failure; an error that is not a ServiceError is only logged. */
export function failureBody(error: unknown, log: Log): ErrorBody {
  if (error instanceof ServiceError) {
    const { message, cause } = error
    if (cause) noteFailure({ level: 'warn', message, err: cause }, log)
  } else noteFailure({ level: 'error', message: 'tool call failed', err: error }, log)
  return errorBody(error)
}
