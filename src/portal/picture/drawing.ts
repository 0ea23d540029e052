import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Words } from '~/portal/words/words.ts'

/** The weight of the drawings' letters: Latin ones from https://rsms.me/inter. */
export const FONT = 'Inter SemiBold'
const LATIN = join(import.meta.dir, 'inter-600.ttf')
const ARABIC = fileURLToPath(
  import.meta.resolve(
    '@expo-google-fonts/noto-sans-arabic/600SemiBold/NotoSansArabic_600SemiBold.ttf',
  ),
)

const RIGHT_TO_LEFT_ISOLATE = '\u2067'
const POP_ISOLATE = '\u2069'

type Bytes = Uint8Array<ArrayBuffer>

/** A drawing as PNG of that width; drawn on a thread of its own, so that nothing else waits. */
export async function png(svg: string, width: number): Promise<Bytes> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const image = await renderAsync(svg, {
    fitTo: { mode: 'width', value: width },
    font: { fontFiles: [LATIN, ARABIC], loadSystemFonts: false, defaultFontFamily: FONT },
  })
  return new Uint8Array(image.asPng())
}

/** Text as markup of a drawing, with its direction as a mark: resvg has no `direction`. */
export const drawnText = ({ direction }: Words, text: string): string =>
  Bun.escapeHTML(direction === 'rtl' ? RIGHT_TO_LEFT_ISOLATE + text + POP_ISOLATE : text)
