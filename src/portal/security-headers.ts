/** The policy of a page: it loads from us alone, runs nothing inline, and may not be framed. */
const policyOf = (formTargets: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** The header of a page whose form redirects to `url` once sent: a browser checks both. */
export function formsLeadingTo(url: string): Readonly<Record<string, string>> {
  const { protocol, host } = new URL(url)
  const source =
    /^https?:$/.test(protocol) && !host.startsWith('[') ? `${protocol}//${host}` : protocol
  return { 'content-security-policy': policyOf(`'self' ${source}`) }
}

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': policyOf("'self'"),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * The policy of a page made to be framed by any site: it loads our styles and pictures, and neither
 * runs a script nor sends a form, so that nothing can be done in it on a visitor's behalf.
 */
const FRAMED_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  'frame-ancestors *',
  "base-uri 'none'",
].join('; ')

/** Headers of a page that other sites may frame. */
export const FRAMED_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': FRAMED_POLICY,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}
