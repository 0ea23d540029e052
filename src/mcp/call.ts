import { granted, ServiceError } from '~/domain/errors.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type KnownStore, knownAnswer } from '~/service/known/known.ts'
import { type Metering, reserveUnit } from '~/service/metering.ts'
import { noteFailure } from '~/telemetry/request-scope.ts'
import { type ErrorBody, errorBody } from '~/wire/errors.ts'
import { presentKnown } from '~/wire/known/known.ts'
import type { AnswerCache } from '~/wire/text/answer-cache.ts'
import type { Asker } from './asker.ts'
import type { HistoryToolDeps } from './history.ts'
import { type By, knownMsIn, type Tool } from './tool.ts'

export type CallDeps = {
  readonly memory: Memory
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
  readonly answers: AnswerCache
  readonly known: KnownStore<HistoryToolDeps['store']>
}

/** Runs `work` for a unit of the quota, given back unless it succeeds. Throws `quota_exceeded`. */
export async function metered<T>(
  deps: CallDeps,
  asker: Asker,
  work: (freshness: Freshness) => T | Promise<T>,
): Promise<T> {
  const { metering } = deps
  const { caller, nowMs } = asker
  const reservation = granted(await reserveUnit(metering, caller, nowMs))
  try {
    return await work(freshnessOf(deps, asker))
  } catch (error) {
    metering.meter.giveBack(reservation)
    throw error
  }
}

type Call = { readonly tool: Tool; readonly given: unknown; readonly asker: Asker }

/**
 * The result of one call: the REST body, or the REST error as an error that the model can read.
 *
 * It is sent once, as text: no client shows a model the object instead, and some show both.
 */
export async function callTool(deps: CallDeps, call: Call) {
  try {
    return { content: contentOf(await answered(deps, call)) }
  } catch (error) {
    return { content: contentOf(JSON.stringify(failureBody(error, deps.log))), isError: true }
  }
}

/** The response to one call as JSON, for a unit; throws the errors of REST. */
export async function answered(deps: CallDeps, call: Call): Promise<string> {
  const { tool, asker } = call
  assertScope(tool, asker)
  const work = (freshness: Freshness) => answerText(deps, call, freshness)
  return tool.isFree ? work(freshnessOf(deps, asker)) : metered(deps, asker, work)
}

/** Throws `forbidden` unless the caller may use a tool that changes something. */
function assertScope({ scope }: Tool, { caller: { scopes } }: Asker): void {
  if (scope === undefined || (scopes?.includes(scope) ?? true)) return
  throw new ServiceError(
    'forbidden',
    `insufficient_scope: the person did not allow this application ${scope}; connect it again ` +
      'and tick that on the consent page',
  )
}

const freshnessOf = ({ memory }: CallDeps, { caller, nowMs }: Asker): Freshness =>
  freshnessAt(caller.tier, nowMs, memory.isSample)

const contentOf = (text: string) => [{ type: 'text' as const, text }]

/** A response as JSON. Those from memory alone are cached like those of REST. */
function answerText(
  deps: CallDeps,
  { tool, given, asker: { caller, home } }: Call,
  freshness: Freshness,
): string | Promise<string> {
  const { memory, ageLimits, answers } = deps
  const question = questionOf(tool, given, home)
  const known = question && answers.find(question, memory.current, freshness)
  if (known) return known
  const view = new View(memory.current, freshness, ageLimits)
  const by = { caller, home }
  const knownMs = knownMsIn(tool, given, view)
  if (knownMs !== null) return textThen(deps, { tool, given, by, knownMs }, freshness)
  const body = tool.answer({ given, view, by })
  if (body instanceof Promise) return body.then((late) => JSON.stringify(late))
  const text = JSON.stringify(body)
  return question ? answers.keep(question, text, view) : text
}

type CallThen = Pick<Call, 'tool' | 'given'> & { readonly by: By; readonly knownMs: number }

/** The response from an earlier state of knowledge, as JSON. It is never cached. */
async function textThen(
  { known, ageLimits: limits }: CallDeps,
  { tool, given, by, knownMs }: CallThen,
  freshness: Freshness,
): Promise<string> {
  const asked = { knownMs, freshness, limits, isLive: true }
  const found = await knownAnswer(known, asked, (view, then) =>
    tool.answer({ given, view, by, then }),
  )
  return JSON.stringify(presentKnown(found.answer, found, freshness))
}

/** The cache key of a response; null if JSON would write another call in the same way: 1e999. */
function questionOf({ name }: Tool, given: unknown, home: string): string | null {
  const text = JSON.stringify(given)
  return text?.includes('null') ? null : `${name} ${text} ${home}`
}

/** The body that REST gives a failure; an error that is not a ServiceError is only logged. */
export function failureBody(error: unknown, log: Log): ErrorBody {
  if (error instanceof ServiceError) {
    const { message, cause } = error
    if (cause) noteFailure({ level: 'warn', message, err: cause }, log)
  } else noteFailure({ level: 'error', message: 'tool call failed', err: error }, log)
  return errorBody(error)
}
