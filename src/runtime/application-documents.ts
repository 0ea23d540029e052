import { documentBytes, documentText } from '~/feed/document.ts'
import { type FetcherDeps, systemPace } from '~/feed/fetcher.ts'
import { reachOf } from '~/feed/private-address.ts'
import { WorkLimit } from '~/service/work-limit.ts'
import { ApplicationFault } from '~/wire/connection/application.ts'

/** A description of an application is a few hundred bytes. */
const DOCUMENT_BYTES_MAX = 8 * 1024
const DOCUMENT_MS_MAX = 5000

/** How many documents are read at once, since their authors decide how long that takes. */
const READINGS = {
  runningMax: 4,
  waitingMax: 16,
  refusal: 'too many applications are being looked up; try again in a moment',
}

type Pace = Pick<FetcherDeps, 'fetch' | 'deadline' | 'addressesOf'>

/**
 * Reads the documents by which applications describe themselves, from the public internet alone:
 * over https, without a redirect, a few kB, in a few seconds. Throws ApplicationFault.
 *
 * A name may stand for another address once it has been checked; but then a host of ours would need
 * a certificate for that name.
 */
export function applicationDocuments(
  pace: Pace = systemPace,
): (address: string) => Promise<string> {
  const limit = new WorkLimit(READINGS)
  return (address) => limit.run(() => read(pace, address))
}

async function read(pace: Pace, address: string): Promise<string> {
  const signal = pace.deadline(DOCUMENT_MS_MAX)
  try {
    await Promise.race([assertPublic(pace, address), overdue(signal)])
    const response = await pace.fetch(address, {
      headers: { accept: 'application/json', 'accept-encoding': 'gzip' },
      signal,
      redirect: 'manual',
      decompress: false,
      keepalive: false,
    })
    if (response.status === 200)
      return documentText(await documentBytes(response, DOCUMENT_BYTES_MAX))
    await response.body?.cancel()
    throw fault(`it is answered with ${response.status}, not 200`)
  } catch (error) {
    if (error instanceof ApplicationFault) throw error
    const seconds = DOCUMENT_MS_MAX / 1000
    const found = signal.aborted ? `it does not come within ${seconds} s` : 'it cannot be read'
    throw fault(`${found}; it must be at most ${DOCUMENT_BYTES_MAX / 1024} kB`)
  }
}

/** Rejects at the deadline, since the look-up of a name cannot be told to stop. */
const overdue = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', reject, { once: true }))

async function assertPublic({ addressesOf }: Pace, address: string): Promise<void> {
  const reach = await reachOf(new URL(address).hostname, addressesOf)
  if (reach === 'unknown') throw fault('its host is not known')
  if (reach === 'private') throw fault('its host is not on the public internet')
}

const fault = (message: string) => new ApplicationFault('invalid_client_metadata', message)
