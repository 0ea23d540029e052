import { randomBytes } from 'node:crypto'
import { connectionHash } from '~/domain/api-key.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { documentBytes, documentText } from '~/feed/document.ts'
import { type FetcherDeps, systemPace } from '~/feed/fetcher.ts'
import { AddressLimits } from '~/memory/address-limits.ts'
import { ask, type Bounds, Unaskable } from '~/outbound/ask.ts'
import { NOWHERE } from '~/outbound/places.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { createOAuth } from '~/store/portal/oauth.ts'
import { ApplicationFault } from '~/wire/connection/application.ts'
import { SCOPES } from '~/wire/connection/metadata.ts'
import type { ServiceOptions } from '../service-options.ts'
import type { Shared } from './ways-in.ts'

/** A description of an application is a few hundred bytes. */
const DOCUMENT_BYTES_MAX = 8 * 1024
const DOCUMENT_MS_MAX = 5000

/** The number of documents read at once, since their authors decide how long that takes. */
const READINGS = {
  runningMax: 4,
  waitingMax: 16,
  refusal: 'too many applications are being looked up; try again in a moment',
}

const PUBLIC: Bounds = { allowed: NOWHERE, isSecureOnly: true }

type Pace = Pick<FetcherDeps, 'connect' | 'deadline' | 'addressesOf'>

/**
 * Reads the documents that describe applications, from the public internet alone: over https,
 * without a redirect, a few kB, in a few seconds. Throws ApplicationFault.
 */
export function applicationDocuments(
  pace: Pace = systemPace,
): (address: string) => Promise<string> {
  const limit = new WorkLimit(READINGS)
  return (address) => limit.run(() => read(pace, address))
}

const HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'user-agent': 'corridor',
}

async function read(pace: Pace, address: string): Promise<string> {
  const signal = pace.deadline(DOCUMENT_MS_MAX)
  try {
    const response = await ask(pace, { url: new URL(address), headers: HEADERS, signal }, PUBLIC)
    if (response.status === 200)
      return documentText(await documentBytes(response, DOCUMENT_BYTES_MAX))
    response.end()
    throw fault(`it returned ${response.status}, not 200`)
  } catch (error) {
    if (error instanceof ApplicationFault) throw error
    if (error instanceof Unaskable) throw fault(error.message)
    const seconds = DOCUMENT_MS_MAX / 1000
    const found = signal.aborted ? `it does not come within ${seconds} s` : 'it cannot be read'
    throw fault(`${found}; it must be at most ${DOCUMENT_BYTES_MAX / 1024} kB`)
  }
}

const fault = (message: string) => new ApplicationFault('invalid_client_metadata', message)

/** The limit on forms of one address. */
export const FORMS = { requestsMax: 120, windowMs: MINUTE_MS }

const CLIENT_ID_BYTES = 16

type Options = Pick<ServiceOptions, 'database' | 'log' | 'pace'>

/** Each exchange of a code or a token holds two connections, so one at a time leaves the rest. */
const EXCHANGES = {
  runningMax: 1,
  waitingMax: 64,
  refusal: 'too many applications are requesting tokens; try again in a moment',
}

export function applicationsOf({ database, log, pace }: Options, shared: Shared) {
  const exchanges = new WorkLimit(EXCHANGES)
  const oauth = createOAuth(database, {
    ...shared,
    scopes: SCOPES,
    onFault: (message) => log.error({}, message),
  })
  return {
    machines: new AddressLimits(FORMS),
    connections: createConnectionStore(database, SCOPES),
    oauth: { ...oauth, token: (form: URLSearchParams) => exchanges.run(() => oauth.token(form)) },
    applicationDocument: applicationDocuments(pace),
    newConnectionHash: () => connectionHash((count) => randomBytes(count)),
    newClientId: () => randomBytes(CLIENT_ID_BYTES).toString('hex'),
  }
}
