import type { Alert } from '~/domain/alert/alert.ts'
import { REASONS } from '~/domain/alert/reason.ts'
import { isSameToken } from '~/service/person/same-token.ts'

type Fingerprint = (text: string) => Promise<string>

export type MailedEndDeps = {
  readonly endings: {
    /** An alert by its id, whoever has it; null for none. */
    known(id: string): Promise<Alert | null>
    end(id: string, ending: Ending): Promise<Alert | null>
  }
  readonly fingerprint: Fingerprint
  readonly clock: { now(): number }
}

type Ending = { readonly status: 'ended'; readonly reason: string; readonly nowMs: number }

const TOKEN = /^([0-9a-f-]{36})\.([\w-]{1,64})$/

/** Token in an email by which its reader can end the alert without signing in. */
export const endTokenOf = async (fingerprint: Fingerprint, alertId: string): Promise<string> =>
  `${alertId}.${await fingerprint(`end of alert ${alertId}`)}`

/** The alert of a link in an email; null for a link that is not ours, or whose alert is gone. */
export async function alertOfLink(deps: MailedEndDeps, token: string): Promise<Alert | null> {
  const id = TOKEN.exec(token)?.[1]
  if (id === undefined || !isSameToken(token, await endTokenOf(deps.fingerprint, id))) return null
  return deps.endings.known(id)
}

/** Ends the alert of a link in an email, idempotently; null as for `alertOfLink`. */
export async function endByLink(deps: MailedEndDeps, token: string): Promise<Alert | null> {
  const alert = await alertOfLink(deps, token)
  if (!alert) return null
  return deps.endings.end(alert.id, {
    status: 'ended',
    reason: REASONS['mail-link'],
    nowMs: deps.clock.now(),
  })
}
