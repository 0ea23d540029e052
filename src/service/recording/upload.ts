import type { Account } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Observation } from '~/domain/observation.ts'
import { offerKey, PLAIN } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import {
  DRAFT_MS_MAX,
  type ListedUpload,
  type Upload,
  type UploadDraft,
  type UploadLayout,
  type UploadSpan,
} from '~/domain/upload.ts'
import type { View } from '~/memory/view.ts'
import { assertMayRecordFor } from '~/service/access.ts'
import { type IngestDeps, ingest } from './ingest.ts'

type OwnDrafts = { readonly accountId: string; readonly sinceMs: number }

export type UploadStore = {
  keepDraft(draft: UploadDraft): Promise<void>
  draft(id: string, ask: OwnDrafts): Promise<UploadDraft | null>
  drafts(ask: OwnDrafts): Promise<readonly Omit<UploadDraft, 'content' | 'choices'>[]>
  chooseDraft(draft: Pick<UploadDraft, 'id' | 'accountId' | 'choices'>): Promise<void>
  dropDraft(draft: Pick<UploadDraft, 'id' | 'accountId'>): Promise<void>
  layouts(accountId: string): Promise<readonly UploadLayout[]>
  rememberLayout(accountId: string, layout: UploadLayout, nowMs: number): Promise<void>
  upload(id: string): Promise<Upload | null>
  uploads(ask: {
    readonly accountId: string | null
    readonly beforeMs: number | null
    readonly limit: number
  }): Promise<readonly ListedUpload[]>
  rowsOf(
    span: UploadSpan,
  ): Promise<readonly { readonly quote: Quote; readonly isWithdrawn: boolean }[]>
}

/** Drafts created since this time are still retained. */
export const draftsSinceMs = (nowMs: number): number => nowMs - DRAFT_MS_MAX

/** The account whose uploads a person of this account sees; null for those of all. */
export const seenAccountId = ({ id, role }: Account): string | null =>
  role === 'admin' ? null : id

type Recording = {
  readonly draft: UploadDraft
  readonly account: Account
  readonly observations: readonly Observation[]
}

/** Records a draft's prices, all or none, with the upload; nothing if it was recorded already. */
export async function recordUpload(
  deps: IngestDeps & { readonly clock: { now(): number } },
  { draft, account, observations }: Recording,
): Promise<void> {
  assertMayRecordFor(
    { account },
    observations.map(({ providerId }) => providerId),
  )
  const { id, accountId, person, fileName } = draft
  const nowMs = deps.clock.now()
  /** No header can hold a line end, so a program's Idempotency-Key is never this one. */
  const key = `upload\n${id}`
  try {
    await ingest(deps, {
      observations,
      origin: { recorder: { accountId, keyId: null }, via: 'upload' },
      idempotency: { accountId, key, bodyHash: NO_HASH, nowMs },
      upload: { id, accountId, person, fileName, recordedMs: nowMs },
    })
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'idempotency_key_reused')) throw error
  }
}

/** Every recording of one draft has the same body: its own id names it. */
const NO_HASH = '0'.repeat(64)

/** A price against the last one of its offer. */
export type Compared = {
  /** The live price of the same offer of its provider; null for the first one. */
  readonly last: Quote | null
  /** Distance of the rate from the last one, in percent; null without a last one. */
  readonly movePct: number | null
  /** Says whether the last price took effect later, so that this one does not replace it. */
  readonly isOlder: boolean
}

const PERCENT = 100

/** Prices against those that a view has of the same offers, in their order. */
export function comparedWith(view: View, observations: readonly Observation[]): Compared[] {
  const live = new Map<string, ReadonlyMap<string, Quote>>()
  return observations.map(({ providerId, from, to, rate, offer, effectiveMs }) => {
    const pair = `${from} ${to}`
    const quotes = live.getOrInsertComputed(
      pair,
      () => new Map(view.allQuotes(from, to).map((quote) => [offerName(quote), quote])),
    )
    const last = quotes.get(offerName({ providerId, offer })) ?? null
    if (last === null) return { last, movePct: null, isOlder: false }
    const movePct = (Number(rate) / last.rate - 1) * PERCENT
    return { last, movePct, isOlder: last.atMs > effectiveMs }
  })
}

/** A string that is the same for two prices of one corridor if they are of one offer. */
export const offerName = ({
  providerId,
  offer,
}: Pick<Observation, 'providerId' | 'offer'>): string => `${providerId} ${offerKey(offer ?? PLAIN)}`
