import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Span } from '~/domain/source/day.ts'
import type { Bank, BankAnswer, BankRequest } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'

export type BankName = keyof typeof BANKS

/** A question to a bank, and what the bank answered. */
export type Exchange = {
  readonly method: string
  readonly url: string
  readonly request_body: string
  readonly status: number
  readonly content_type: string
  readonly body_encoding: 'text' | 'base64'
  readonly body: string
}

const KEPT = join(import.meta.dir, 'recordings')
const WHOLE = resolve(import.meta.dir, '../../../shared/data/central_banks')

/** Where recorded answers are: those kept here, cut to a few days, and all where they are at hand. */
export const FOLDERS: readonly string[] = existsSync(WHOLE) ? [KEPT, WHOLE] : [KEPT]

export const NAMES = Object.keys(BANKS) as BankName[]

export const DAY = (text: string): number => Date.parse(`${text}T12:00:00Z`)

/** The spans that the recorded questions asked for, or that hold all that was answered. */
export const SPANS: Readonly<Record<BankName, Span>> = {
  bam: { sinceMs: DAY('2026-03-25'), untilMs: DAY('2026-03-26') },
  bceao: { sinceMs: DAY('2026-03-16'), untilMs: DAY('2026-03-19') },
  bct: { sinceMs: DAY('2026-05-18'), untilMs: DAY('2026-05-20') },
  bna: { sinceMs: DAY('2026-05-18'), untilMs: DAY('2026-05-21') },
  bnrrw: { sinceMs: DAY('2026-05-19'), untilMs: DAY('2026-05-22') },
  bob: { sinceMs: DAY('2001-01-02'), untilMs: DAY('2026-03-19') },
  bota: { sinceMs: DAY('2026-05-19'), untilMs: DAY('2026-05-19') },
  cbe: { sinceMs: DAY('2026-04-01'), untilMs: DAY('2026-04-09') },
  cbg: { sinceMs: DAY('2000-01-01'), untilMs: DAY('2026-05-22') },
  cbk: { sinceMs: DAY('2024-01-01'), untilMs: DAY('2026-03-19') },
  cbllr: { sinceMs: DAY('2026-04-01'), untilMs: DAY('2026-05-23') },
  cbn: { sinceMs: DAY('2026-05-01'), untilMs: DAY('2026-05-21') },
  nbe: { sinceMs: DAY('2026-05-18'), untilMs: DAY('2026-05-19') },
  rbm: { sinceMs: DAY('2024-01-02'), untilMs: DAY('2024-01-05') },
  sarb: { sinceMs: DAY('2026-03-23'), untilMs: DAY('2026-03-27') },
}

/** A bank's requests, in the order in which they are asked, those that follow from answers too. */
export async function askedOf(name: BankName, folder = KEPT): Promise<BankRequest[]> {
  return (await conversation(name, folder)).map(({ request }) => request)
}

/** The recorded answers that hold rates. */
export async function answersOf(name: BankName, folder = KEPT): Promise<BankAnswer[]> {
  const bank: Bank = BANKS[name]
  return (await conversation(name, folder)).filter(
    (answer) => (bank.next?.(answer, SPANS[name]) ?? []).length === 0,
  )
}

/** What a bank was asked and answered. */
export async function exchangesOf(name: BankName, folder = KEPT): Promise<Exchange[]> {
  const { interactions } = await Bun.file(join(folder, `${name}.json`)).json()
  return interactions
}

/** Every answer to what a bank is asked for its span, as far as it was recorded. */
async function conversation(name: BankName, folder: string): Promise<BankAnswer[]> {
  const bank: Bank = BANKS[name]
  const interactions = await exchangesOf(name, folder)
  const answers: BankAnswer[] = []
  const waiting = [...bank.requests(SPANS[name])]
  for (let request = waiting.shift(); request; request = waiting.shift()) {
    const exchange = interactions.find((one) => isAnswered(request!, one))
    if (!exchange) continue
    const answer = answerOf(request, exchange)
    answers.push(answer)
    waiting.unshift(...(bank.next?.(answer, SPANS[name]) ?? []))
  }
  return answers
}

const isAnswered = (request: BankRequest, { url, method, request_body }: Exchange): boolean =>
  request.url === url &&
  (request.form ?? '') === request_body &&
  (request.form === undefined ? 'GET' : 'POST') === method

/** An answer as the service would hand it to a bank's file. */
function answerOf(request: BankRequest, { body, body_encoding }: Exchange): BankAnswer {
  return answerTo(request, bytesOf({ body, body_encoding }))
}

/** The body of a recorded answer. */
export const bytesOf = ({ body, body_encoding }: Pick<Exchange, 'body' | 'body_encoding'>) =>
  Buffer.from(body, body_encoding === 'base64' ? 'base64' : 'utf8')

/** Bytes as the answer to a request, decoded as it says. */
export function answerTo(request: BankRequest, bytes: Uint8Array): BankAnswer {
  const decoder = new TextDecoder(request.charset ?? 'utf-8', { fatal: true })
  const text = request.format === 'spreadsheet' ? '' : decoder.decode(bytes)
  return { request, bytes, text }
}
