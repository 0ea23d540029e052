/**
 * Reports whether the request says that its sender holds the response with this tag, by weak
 * comparison. https://www.rfc-editor.org/rfc/rfc9110#field.if-none-match
 */
export function isHeld(request: Request, etag: string): boolean {
  const condition = request.headers.get('if-none-match')
  if (condition === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (
    condition.trim() === '*' || condition.split(',').some((tag) => opaque(tag) === opaque(etag))
  )
}
