import { ServiceError } from '~/domain/errors.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type Metering, reserveUnit } from '~/service/metering.ts'
import { noteFailure } from '~/telemetry/request-scope.ts'
import { readArguments } from './arguments.ts'
import type { Asker } from './exchange.ts'
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
  { memory, metering, ageLimits }: CallDeps,
  { caller, nowMs }: Asker,
  work: (view: View) => T | Promise<T>,
): Promise<T> {
  const reservation = reserveUnit(metering, caller, nowMs)
  try {
    const view = new View(memory.current, freshnessAt(caller.tier, nowMs), ageLimits)
    return await work(view)
  } catch (error) {
    metering.meter.giveBack(reservation)
    throw error
  }
}

type Call = { readonly tool: Tool; readonly given: unknown; readonly asker: Asker }

/** The result of one call: the REST body, or the REST error as an error that the model can read. */
export async function callTool(deps: CallDeps, { tool, given, asker }: Call) {
  try {
    const body = await metered(deps, asker, (view) =>
      tool.answer({ args: readArguments(tool.input, given), view }),
    )
    return { content: [textOf(body)], structuredContent: body }
  } catch (error) {
    return { content: [textOf(errorBody(error, deps.log))], isError: true }
  }
}

const textOf = (body: object) => ({ type: 'text', text: JSON.stringify(body) })

/** The body that REST answers a failure with; what is no ServiceError is only logged. */
export function errorBody(error: unknown, log: Log): { error: string; code: string } {
  if (error instanceof ServiceError) {
    const { message, code, details, cause } = error
    if (cause) noteFailure({ level: 'warn', message, err: cause }, log)
    return { error: message, code, ...details }
  }
  noteFailure({ level: 'error', message: 'tool call failed', err: error }, log)
  return { error: 'something failed on our side; retry in a moment', code: 'internal_error' }
}
