import { join } from 'node:path'
import { madeOnce } from '~/domain/made-once.ts'
import type { Route } from '~/http/route.ts'
import { StaticFile } from '~/http/static-file.ts'
import { png } from '~/portal/picture/drawing.ts'

export const MANIFEST_PATH = '/manifest.webmanifest'

const ICON = join(import.meta.dir, '../icon.svg')
/** The sizes that browsers want of an application, in dots. */
const SIZES = [192, 512] as const

const iconPath = (size: number): string => `/icons/${size}.png`

/** Manifest by which a browser installs the site like an application, and its icons. */
export function manifestRoutes({ mount }: { mount: string }): Route[] {
  const manifest = new StaticFile({
    bytes: JSON.stringify({
      ...{ name: 'Corridor', short_name: 'Corridor', id: `${mount}/`, start_url: `${mount}/` },
      ...{ display: 'standalone', background_color: '#ffffff', theme_color: '#0b6b4f' },
      icons: SIZES.map((size) => ({
        ...{ src: mount + iconPath(size), sizes: `${size}x${size}`, type: 'image/png' },
      })),
    }),
    type: 'application/manifest+json',
  })
  return [
    { method: 'GET', path: MANIFEST_PATH, handle: (request) => manifest.reply(request, 'day') },
    ...SIZES.map((size): Route => {
      const file = madeOnce(async () => {
        const bytes = await png(await Bun.file(ICON).text(), size)
        return new StaticFile({ bytes, type: 'image/png', isPacked: true })
      })
      const handle = async (request: Request) => (await file()).reply(request, 'day')
      return { method: 'GET', path: iconPath(size), handle }
    }),
  ]
}
