import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BankAnswer, BankRequest } from '~/source/bank.ts'
import {
  answerTo,
  BANK_NAMES,
  type BankName,
  bytesOf,
  conversation,
  type Exchange,
  exchangesIn,
  recordedAnswers,
  SPANS,
} from '../../tools/sample/recordings.ts'

export { answerTo, BANK_NAMES as NAMES, type BankName, bytesOf, type Exchange, SPANS }

const KEPT = join(import.meta.dir, 'recordings')
const WHOLE = resolve(import.meta.dir, '../../../shared/data/central_banks')

/**
 * The folders of a bank's responses: those in the repository, cut to a few days, and the whole ones
 * if the machine has them.
 */
export const foldersOf = (name: BankName): readonly string[] =>
  [KEPT, WHOLE].filter((folder) => existsSync(join(folder, `${name}.json`)))

export const DAY = (text: string): number => Date.parse(`${text}T12:00:00Z`)

/** A bank's requests, in their order, including those that follow from responses. */
export const askedOf = (name: BankName): BankRequest[] =>
  conversation(name, KEPT).map(({ request }) => request)

/** The recorded responses that hold rates. */
export const answersOf = (name: BankName, folder = KEPT): BankAnswer[] =>
  recordedAnswers(name, folder)

/** Requests to a bank, with its responses. */
export const exchangesOf = (name: BankName, folder = KEPT): Exchange[] => exchangesIn(folder, name)
