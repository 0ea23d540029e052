import { join } from 'node:path'
import { flagFile } from '~/http/flags.ts'
import type { Pair } from '~/portal/place/pair.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './size.ts'

/** The weight and the letters that the drawings need, from https://rsms.me/inter. */
const FONT = { file: join(import.meta.dir, 'inter-600.ttf'), name: 'Inter SemiBold' }

type Bytes = Uint8Array<ArrayBuffer>

/** A drawing as PNG of that width; drawn on a thread of its own, so that nothing else waits. */
export async function png(svg: string, width: number): Promise<Bytes> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const image = await renderAsync(svg, {
    fitTo: { mode: 'width', value: width },
    font: { fontFiles: [FONT.file], loadSystemFonts: false, defaultFontFamily: FONT.name },
  })
  return new Uint8Array(image.asPng())
}

const LINE = 'What every provider makes of your money'
const SAMPLE_LINE = 'Sample prices from 2025'

const PAPER = '#ffffff'
const INK = '#191c1f'
const INK_SOFT = '#565c61'
const ACCENT = '#0b6b4f'

/** Two countries with their flags, and what the page of the pair tells. */
export async function pairDrawing({ source, target }: Pair, isSample: boolean): Promise<string> {
  const ends = await Promise.all([
    end(source, PICTURE_WIDTH / 4 + 10),
    end(target, (PICTURE_WIDTH * 3) / 4 - 10),
  ])
  const middle = PICTURE_WIDTH / 2
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" ` +
    `font-family="${FONT.name}" text-anchor="middle">` +
    `<rect width="100%" height="100%" fill="${PAPER}"/>` +
    `<rect width="100%" height="16" fill="${ACCENT}"/>` +
    `<text x="${middle}" y="92" font-size="40" fill="${ACCENT}">Corridor</text>${ends.join('')}` +
    `<path d="M${middle - 50} 275h100m-36-36 36 36-36 36" fill="none" stroke="${ACCENT}" ` +
    'stroke-width="14" stroke-linecap="round" stroke-linejoin="round"/>' +
    `<text x="${middle}" y="574" font-size="36" fill="${INK_SOFT}">` +
    `${isSample ? SAMPLE_LINE : LINE}</text></svg>`
  )
}

const FLAG = { width: 300, height: 225, top: 162 }
const NAME = { top: 458, size: 48, lineLetters: 17, lineHeight: 52 }

/** A country's flag above its name, both in the middle of a column. */
async function end({ code, name }: Pair['source'], middle: number): Promise<string> {
  const flag = Buffer.from(await flagFile(`${code.toLowerCase()}.svg`).bytes()).toString('base64')
  const place = `x="${middle - FLAG.width / 2}" y="${FLAG.top}"`
  const size = `width="${FLAG.width}" height="${FLAG.height}"`
  const lines = linesOf(name).map(
    (line, i) => `<tspan x="${middle}" y="${NAME.top + i * NAME.lineHeight}">${line}</tspan>`,
  )
  const longest = Math.max(...linesOf(name).map((line) => line.length))
  const fontSize = Math.min(NAME.size, (NAME.size * NAME.lineLetters) / longest)
  return (
    `<image href="data:image/svg+xml;base64,${flag}" ${place} ${size}/>` +
    `<rect ${place} ${size} fill="none" stroke="#dcdcd6" stroke-width="2"/>` +
    `<text font-size="${fontSize.toFixed(1)}" fill="${INK}">${lines.join('')}</text>`
  )
}

/** A name in one line, or in two of about one length. */
function linesOf(name: string): string[] {
  if (name.length <= NAME.lineLetters) return [name]
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index)
  const [cut] = spaces.sort((a, b) => awayFromMiddle(name, a) - awayFromMiddle(name, b))
  return cut === undefined ? [name] : [name.slice(0, cut), name.slice(cut + 1)]
}

const awayFromMiddle = (name: string, at: number): number => Math.abs(at - name.length / 2)
