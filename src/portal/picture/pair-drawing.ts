import { flagFile } from '~/http/flags.ts'
import type { Pair } from '~/portal/place/pair.ts'
import type { Words } from '~/portal/words/words.ts'
import { drawnText, FONT } from './drawing.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './size.ts'

const PAPER = '#ffffff'
const INK = '#191c1f'
const INK_SOFT = '#565c61'
const ACCENT = '#0b6b4f'
const WARM = '#fbeee4'

/** The usual width of a letter, in parts of the size of its font. */
const LETTER = 0.56
const MIDDLE = PICTURE_WIDTH / 2
const LINE_WIDTH = PICTURE_WIDTH - 80
const COLUMN = { width: 500, middle: 280 }
const FLAG = { width: 260, height: 195, top: 120 }
const NAME = { top: 366, size: 42, lineLetters: 20, lineHeight: 46 }
const AMOUNT = { top: 468, size: 54 }
const NOTE = { top: 538, size: 30 }
const BAND = { height: 56, size: 26 }

export type PairPicture = {
  readonly words: Words
  readonly pair: Pair
  readonly isSample: boolean
  /** Amount to send, what arrives of it at best, and with whom and when; null if none is known. */
  readonly figure: { readonly sent: string; readonly gets: string; readonly note: string } | null
  /** Line below the countries if there is no number. */
  readonly line: string
}

/** Two countries with their flags, and the amount that arrives of an amount that is sent. */
export async function pairDrawing(picture: PairPicture): Promise<string> {
  const { words, pair, isSample, figure, line } = picture
  const isTurned = words.direction === 'rtl'
  const [first, last] = isTurned ? [pair.target, pair.source] : [pair.source, pair.target]
  const [left, right] = isTurned ? [figure?.gets, figure?.sent] : [figure?.sent, figure?.gets]
  const ends = await Promise.all([
    end(words, { country: first, middle: COLUMN.middle, amount: left }),
    end(words, { country: last, middle: PICTURE_WIDTH - COLUMN.middle, amount: right }),
  ])
  const turn = isTurned ? ` transform="matrix(-1 0 0 1 ${PICTURE_WIDTH} 0)"` : ''
  const below = figure?.note ?? line
  const note = { y: figure ? NOTE.top : AMOUNT.top + 20, size: figure ? NOTE.size : 34 }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE_WIDTH}" height="${PICTURE_HEIGHT}" ` +
    `font-family="${FONT}" text-anchor="middle">` +
    `<rect width="100%" height="100%" fill="${PAPER}"/>` +
    `<rect width="100%" height="16" fill="${ACCENT}"/>` +
    `<text x="${MIDDLE}" y="76" font-size="36" fill="${ACCENT}">Corridor</text>${ends.join('')}` +
    `<path d="M${MIDDLE - 50} ${FLAG.top + FLAG.height / 2}h100m-36-36 36 36-36 36"${turn} ` +
    `fill="none" stroke="${ACCENT}" ` +
    'stroke-width="14" stroke-linecap="round" stroke-linejoin="round"/>' +
    `<text x="${MIDDLE}" y="${note.y}" font-size="${fitted(below, note.size, LINE_WIDTH)}" ` +
    `fill="${INK_SOFT}">${drawnText(words, below)}</text>` +
    `${isSample ? band(words) : ''}</svg>`
  )
}

/** The notice on sample prices, across the foot of the picture. */
function band(words: Words): string {
  const text = words.say('sample.banner')
  const top = PICTURE_HEIGHT - BAND.height
  return (
    `<rect y="${top}" width="100%" height="${BAND.height}" fill="${WARM}"/>` +
    `<text x="${MIDDLE}" y="${top + 37}" font-size="${fitted(text, BAND.size, LINE_WIDTH)}" ` +
    `fill="${INK}">${drawnText(words, text)}</text>`
  )
}

type End = {
  readonly country: Pair['source']
  readonly middle: number
  readonly amount: string | undefined
}

/** A country's flag above its name and an amount, in the middle of a column. */
async function end(words: Words, { country, middle, amount = '' }: End): Promise<string> {
  const flag = Buffer.from(await flagFile(`${country.code.toLowerCase()}.svg`).bytes())
  const place = `x="${middle - FLAG.width / 2}" y="${FLAG.top}"`
  const size = `width="${FLAG.width}" height="${FLAG.height}"`
  const names = linesOf(words.countryName(country))
  const lines = names.map((line, i) => {
    const y = NAME.top + i * NAME.lineHeight
    return `<tspan x="${middle}" y="${y}">${drawnText(words, line)}</tspan>`
  })
  const longest = names.toSorted((a, b) => b.length - a.length)[0]!
  return (
    `<image href="data:image/svg+xml;base64,${flag.toString('base64')}" ${place} ${size}/>` +
    `<rect ${place} ${size} fill="none" stroke="#dcdcd6" stroke-width="2"/>` +
    `<text font-size="${fitted(longest, NAME.size, COLUMN.width)}" fill="${INK}">` +
    `${lines.join('')}</text>` +
    `<text x="${middle}" y="${AMOUNT.top}" fill="${ACCENT}" ` +
    `font-size="${fitted(amount, AMOUNT.size, COLUMN.width)}">${drawnText(words, amount)}</text>`
  )
}

/** The size of a font at which a text fits a width, at most `size`. */
const fitted = (text: string, size: number, width: number): string =>
  Math.min(size, width / (text.length * LETTER)).toFixed(1)

/** A name in one line, or in two of about one length. */
function linesOf(name: string): string[] {
  if (name.length <= NAME.lineLetters) return [name]
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index)
  const [cut] = spaces.sort((a, b) => awayFromMiddle(name, a) - awayFromMiddle(name, b))
  return cut === undefined ? [name] : [name.slice(0, cut), name.slice(cut + 1)]
}

const awayFromMiddle = (name: string, at: number): number => Math.abs(at - name.length / 2)
