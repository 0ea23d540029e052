import { ServiceError } from '~/domain/errors.ts'
import { bodyText, wholeBody } from '~/http/body.ts'
import { isSameToken } from '~/service/person/same-token.ts'

type SentFile = { readonly name: string; readonly bytes: Uint8Array }

/** The fields of a form; a missing one is empty, of a repeated one the first counts. */
export type FormFields = {
  text(name: string): string
  /** Null if no file was chosen, and in forms without files. */
  file(name: string): SentFile | null
}

/** A field of a form or of an address; NUL, which no stored string can hold, becomes U+FFFD. */
export const fieldOf = (fields: URLSearchParams, name: string): string =>
  withoutNul(fields.get(name))

const withoutNul = (text: string | null): string => (text ?? '').replaceAll('\0', '\uFFFD')

/** The name of every form's field with `formToken`. */
export const TOKEN_FIELD = 'form_token'

const FORM_BYTES_MAX = 16_384
const PLAIN = 'application/x-www-form-urlencoded'
const WITH_FILES = 'multipart/form-data'

/** The origin of the public address, if a setting gives one. */
type Ours = { readonly publicOrigin: string | null }

/** A form that came from elsewhere, or without the token: nothing was done. */
export class ForeignForm extends Error {}

/** A form of ours whose token is no longer valid. */
export class StaleForm extends ForeignForm {}

/**
 * Throws ForeignForm unless the form was sent by one of our pages, to the person who viewed it. It
 * holds files only with `files`.
 */
export async function readForm(
  deps: Ours,
  { request, formToken }: { readonly request: Request; readonly formToken: string },
  files: { readonly bytesMax: number } | undefined,
): Promise<FormFields> {
  const isWithFiles = files !== undefined && mediumOf(request) === WITH_FILES
  if (isWithFiles && !isFromUs(deps, request)) throw new ForeignForm()
  const form = isWithFiles
    ? await formWithFiles(await wholeBody(request, files.bytesMax), request)
    : await readOpenForm(deps, request)
  if (!isSameToken(form.text(TOKEN_FIELD), formToken)) throw new StaleForm()
  return form
}

const mediumOf = ({ headers }: Request): string =>
  (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()

/** A form without a token, on a page for anybody. Throws ForeignForm for one from elsewhere. */
export async function readOpenForm(deps: Ours, request: Request): Promise<FormFields> {
  if (!isFromUs(deps, request) || mediumOf(request) !== PLAIN) throw new ForeignForm()
  return plainForm(await bodyText(request, FORM_BYTES_MAX))
}

function plainForm(body: string): FormFields {
  const fields = new URLSearchParams(body)
  return { text: (name) => fieldOf(fields, name), file: () => null }
}

async function formWithFiles(body: Uint8Array, request: Request): Promise<FormFields> {
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  const fields = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw new ServiceError('malformed_body', 'the form was cut short; send it again')
  })
  const files = new Map<string, SentFile>()
  for (const [key, value] of fields)
    if (typeof value !== 'string' && value.name && !files.has(key))
      files.set(key, { name: withoutNul(value.name), bytes: await value.bytes() })
  const text = (name: string) => {
    const value = fields.get(name)
    return typeof value === 'string' ? withoutNul(value) : ''
  }
  return { text, file: (name) => files.get(name) ?? null }
}

/** Reports whether a form comes from us, if the browser says so; it needs the token in any case. */
function isFromUs({ publicOrigin }: Ours, { headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const origin = headers.get('origin')
  if (origin === null) return true
  if (origin === publicOrigin) return true
  return URL.canParse(origin) && new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}
