import { timingSafeEqual } from 'node:crypto'
import { bodyText } from '~/http/body.ts'

/** The name of every form's field with `formToken`. */
export const TOKEN_FIELD = 'form_token'

const FORM_BYTES_MAX = 16_384

/** A form that came from elsewhere, or without the token: nothing was done. */
export class ForeignForm extends Error {}

/** A form of ours whose token is no longer valid. */
export class StaleForm extends ForeignForm {}

type Deps = {
  /** The origin of the public address, if a setting gives one. */
  readonly publicOrigin: string | null
}

type Sent = { readonly request: Request; readonly formToken: string }

/** Throws ForeignForm unless the form was sent by one of our pages, to the person who viewed it. */
export async function ownFields(
  deps: Deps,
  { request, formToken }: Sent,
): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (!isFromUs(deps, request) || type !== 'application/x-www-form-urlencoded')
    throw new ForeignForm()
  const fields = new URLSearchParams(await bodyText(request, FORM_BYTES_MAX))
  if (!isSame(fields.get(TOKEN_FIELD) ?? '', formToken)) throw new StaleForm()
  return fields
}

/** Whether a form comes from us, if the browser tells; without that it still needs the token. */
function isFromUs({ publicOrigin }: Deps, { headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const origin = headers.get('origin')
  if (origin === null) return true
  if (origin === publicOrigin) return true
  return URL.canParse(origin) && new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}

function isSame(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
