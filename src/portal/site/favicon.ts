import { join } from 'node:path'
import { madeOnce } from '~/domain/made-once.ts'
import type { Route } from '~/http/route.ts'
import { StaticFile } from '~/http/static-file.ts'
import { png } from '~/portal/picture/drawing.ts'

const ICON = join(import.meta.dir, '../icon.svg')
const SIZE = 32

/** The icon for clients that request it without having read a page. */
export function faviconRoutes(): Route[] {
  const file = madeOnce(async () => {
    const picture = await png(await Bun.file(ICON).text(), SIZE)
    return new StaticFile({ bytes: icoOf(picture), type: 'image/x-icon', isPacked: true })
  })
  const handle = async (request: Request) => (await file()).reply(request, 'day')
  return [{ method: 'GET', path: '/favicon.ico', handle }]
}

const HEADER_BYTES = 22
const BITS_A_PIXEL = 32

/** A file of type ICO with one square picture. https://en.wikipedia.org/wiki/ICO_(file_format) */
function icoOf(picture: Uint8Array): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(HEADER_BYTES + picture.length)
  const header = new DataView(file.buffer)
  header.setUint16(2, 1, true)
  header.setUint16(4, 1, true)
  header.setUint8(6, SIZE)
  header.setUint8(7, SIZE)
  header.setUint16(10, 1, true)
  header.setUint16(12, BITS_A_PIXEL, true)
  header.setUint32(14, picture.length, true)
  header.setUint32(18, HEADER_BYTES, true)
  file.set(picture, HEADER_BYTES)
  return file
}
