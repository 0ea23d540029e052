import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Span } from '~/domain/source/day.ts'
import type { Bank, BankAnswer, BankRequest } from '~/source/bank.ts'
import { BANKS } from '~/source/banks.ts'

export type BankName = keyof typeof BANKS

/** A question to a bank, and what it answered, in `<name>.json` of a folder of recordings. */
export type Exchange = {
  readonly method: string
  readonly url: string
  readonly request_body: string
  readonly status: number
  readonly content_type: string
  readonly body_encoding: 'text' | 'base64'
  readonly body: string
}

export const BANK_NAMES = Object.keys(BANKS) as BankName[]

/** The banks whose answers are in a folder of recordings, in their order. */
export const recordedIn = (folder: string): BankName[] =>
  BANK_NAMES.filter((name) => existsSync(join(folder, `${name}.json`)))

const span = (since: string, until: string): Span => ({
  sinceMs: Date.parse(`${since}T12:00:00Z`),
  untilMs: Date.parse(`${until}T12:00:00Z`),
})

/** The spans that the recorded questions asked for, or that hold all that was answered. */
export const SPANS: Readonly<Record<BankName, Span>> = {
  bam: span('2026-03-25', '2026-03-26'),
  bceao: span('2026-03-16', '2026-03-19'),
  bct: span('2026-05-18', '2026-05-20'),
  bna: span('2026-05-18', '2026-05-21'),
  bnrrw: span('2026-05-19', '2026-05-22'),
  bob: span('2001-01-02', '2026-03-19'),
  bota: span('2026-05-19', '2026-05-19'),
  cbe: span('2026-04-01', '2026-04-09'),
  cbg: span('2000-01-01', '2026-05-22'),
  cbk: span('2024-01-01', '2026-03-19'),
  cbllr: span('2026-04-01', '2026-05-23'),
  cbn: span('2026-05-01', '2026-05-21'),
  nbe: span('2026-05-18', '2026-05-19'),
  rbm: span('2024-01-02', '2024-01-05'),
  sarb: span('2026-03-23', '2026-03-27'),
}

/**
 * Everything that a bank answered to what it is asked for its span, in the order of the questions,
 * as far as it was recorded; pages that only lead to another question too.
 */
export function conversation(name: BankName, folder: string): BankAnswer[] {
  const bank: Bank = BANKS[name]
  const interactions = exchangesIn(folder, name)
  const answers: BankAnswer[] = []
  const waiting = [...bank.requests(SPANS[name])]
  for (let request = waiting.shift(); request; request = waiting.shift()) {
    const exchange = interactions.find((one) => isAnswered(request!, one))
    if (!exchange) continue
    const answer = answerTo(request, bytesOf(exchange))
    answers.push(answer)
    waiting.unshift(...(bank.next?.(answer, SPANS[name]) ?? []))
  }
  return answers
}

/** Requests to a bank, with its responses, as recorded. */
export function exchangesIn(folder: string, name: BankName): Exchange[] {
  const text = readFileSync(join(folder, `${name}.json`), 'utf8')
  return (JSON.parse(text) as { interactions: Exchange[] }).interactions
}

/** The body of a recorded answer. */
export const bytesOf = ({ body, body_encoding }: Pick<Exchange, 'body' | 'body_encoding'>) =>
  Buffer.from(body, body_encoding === 'base64' ? 'base64' : 'utf8')

/** The recorded answers of a bank that hold rates. */
export function recordedAnswers(name: BankName, folder: string): BankAnswer[] {
  const bank: Bank = BANKS[name]
  return conversation(name, folder).filter(
    (answer) => (bank.next?.(answer, SPANS[name]) ?? []).length === 0,
  )
}

/** Bytes as the answer to a request, decoded as it says; throws where they do not fit that. */
export function answerTo(request: BankRequest, bytes: Uint8Array): BankAnswer {
  const decoder = new TextDecoder(request.charset ?? 'utf-8', { fatal: true })
  const text = request.format === 'spreadsheet' ? '' : decoder.decode(bytes)
  return { request, bytes, text }
}

const isAnswered = (request: BankRequest, { url, method, request_body }: Exchange): boolean =>
  request.url === url &&
  (request.form ?? '') === request_body &&
  (request.form === undefined ? 'GET' : 'POST') === method
