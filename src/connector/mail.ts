import { ImapFlow, type MessageStructureObject } from 'imapflow'
import { DAY_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { transportError } from '~/feed/transport.ts'
import { beforeEnd } from '~/outbound/connection.ts'
import type { Folder, Found } from './files.ts'

const CONNECT_MS_MAX = 20_000
/** Age up to which emails are read. */
const LOOK_BACK_MS = 31 * DAY_MS
/** The most emails that are looked into; of more, the newest. */
const MESSAGES_MAX = 500
/** The most of one response of the server that is held. */
const RESPONSE_BYTES_MAX = 1024 * 1024

/** A line of base64 as RFC 2045 has it at its longest, with the characters that end it. */
const BASE64_LINE = { bytes: 57, sent: 78 }

type Mailbox = {
  /** Protocol, host and port; the certificate has to be that of the host. */
  readonly url: URL
  /** The only address to connect to. */
  readonly address: string
  readonly username: string
  readonly password: string
  readonly mailbox: string
  /** The address that an email has to be from, and a part of its subject. */
  readonly sender: string
  readonly subject: string | undefined
  /** Says whether the password may be sent without TLS. */
  readonly mayBePlain: boolean
  readonly nowMs: number
  readonly bytesMax: number
  readonly signal: AbortSignal
}

/** The attachments of the emails in a mailbox that have a sender and a subject. */
export async function mailFolder(box: Mailbox): Promise<Folder> {
  const client = clientOf(box)
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await beforeEnd(work, box.signal)
    } catch (error) {
      client.close()
      throw faultOf(error as ImapFault, box.signal)
    }
  }
  client.on('error', () => {})
  await asked(client.connect())
  await asked(client.mailboxOpen(box.mailbox, { readOnly: true }))
  const read = async (uid: number, part: string) => {
    const limits = { uid: true, decodeText: false, maxBytes: box.bytesMax + 1 }
    const { content } = await asked(client.download(String(uid), part, limits))
    if (!content) throw new FeedError('unreachable', 'has no longer an email that it listed')
    return asked(new Response(content as never).bytes())
  }
  return {
    async list(pattern) {
      const found: Found[] = []
      for (const { uid, atMs, attachments } of await asked(messagesIn(client, box)))
        for (const { name, bytes, part } of attachments)
          if (pattern.match(name))
            found.push({ name, bytes, atMs, isWhole: true, read: () => read(uid, part) })
      return found
    },
    close: async () => client.close(),
  }
}

function clientOf({ url, address, username, password, mayBePlain }: Mailbox): ImapFlow {
  const secure = url.protocol === 'imaps:'
  return new ImapFlow({
    ...{ host: address, servername: url.hostname, port: Number(url.port || (secure ? 993 : 143)) },
    ...{ secure, ...(!secure && !mayBePlain && { doSTARTTLS: true }) },
    auth: { user: username, pass: password },
    ...{ logger: false, disableAutoIdle: true, disableCompression: true },
    ...{ connectionTimeout: CONNECT_MS_MAX, greetingTimeout: CONNECT_MS_MAX },
    ...{ maxLiteralSize: RESPONSE_BYTES_MAX, maxResponseSize: 2 * RESPONSE_BYTES_MAX },
    maxLineLength: RESPONSE_BYTES_MAX,
  })
}

async function messagesIn(client: ImapFlow, { sender, subject, nowMs }: Mailbox) {
  const since = new Date(nowMs - LOOK_BACK_MS)
  const wanted = { since, from: sender, ...(subject && { subject }) }
  const uids = (await client.search(wanted, { uid: true })) || []
  if (uids.length === 0) return []
  const newest = uids.slice(-MESSAGES_MAX).join(',')
  const query = { envelope: true, bodyStructure: true, internalDate: true }
  const messages = await client.fetchAll(newest, query, { uid: true })
  return messages
    .filter(({ envelope }) => envelope?.from?.[0]?.address?.toLowerCase() === sender.toLowerCase())
    .map(({ uid, internalDate, bodyStructure }) => ({
      ...{ uid, atMs: new Date(internalDate!).getTime() },
      attachments: attachmentsIn(bodyStructure),
    }))
}

type Attachment = { readonly name: string; readonly bytes: number; readonly part: string }

/** The parts of an email that have the name of a file, with their size, about, once decoded. */
function attachmentsIn(node: MessageStructureObject | undefined): Attachment[] {
  if (!node) return []
  const { dispositionParameters, parameters, part = '1', size = 0, childNodes = [] } = node
  const name = dispositionParameters?.filename ?? parameters?.name
  const isBase64 = node.encoding?.toLowerCase() === 'base64'
  const bytes = isBase64 ? Math.floor((size / BASE64_LINE.sent) * BASE64_LINE.bytes) : size
  const own = name === undefined ? [] : [{ name, bytes, part }]
  return [...own, ...childNodes.flatMap(attachmentsIn)]
}

type ImapFault = Error & {
  readonly authenticationFailed?: boolean
  readonly code?: string
  readonly responseStatus?: string
  readonly executedCommand?: string
}

function faultOf(error: ImapFault, signal: AbortSignal): FeedError {
  if (error instanceof FeedError) return error
  if (signal.aborted) return new FeedError('timeout', 'did not respond in time')
  const { authenticationFailed, code = '', responseStatus, executedCommand = '' } = error
  if (authenticationFailed) return new FeedError('unauthorized', 'refused the user or the password')
  if (transportError(error).fault === 'insecure' || /STARTTLS/i.test(error.message))
    return new FeedError('insecure', 'cannot be trusted over TLS, or offers none')
  if (/TooLarge|TooMany/.test(code))
    return new FeedError('too_large', 'sent more than an email client reads')
  if (responseStatus && /SELECT|EXAMINE/.test(executedCommand))
    return new FeedError('unreachable', 'has no mailbox of that name')
  return new FeedError('unreachable', 'could not be reached by IMAP, or broke off')
}
