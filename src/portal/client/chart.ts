import uPlot from 'uplot'
import { decimalPoint, filled, numberText } from '../board/chart-reading.ts'
import { aloneIn } from '../line-path.ts'

type Row = {
  readonly s: number
  readonly values: readonly (number | null)[]
  /** The time of the mid if it is carried forward from long before; else empty. */
  readonly midOf: string
  /** The open, high, low and close of a mid that moved in the bucket; empty if it did not. */
  readonly candle: readonly number[]
}

const HEIGHT = 300
const HEIGHT_NARROW = 240
const NARROW = 480

/** The rows of the page's table, oldest first. */
function rowsOf({ tBodies }: HTMLTableElement): Row[] {
  const rows = [...tBodies[0]!.rows].map(({ cells }) => {
    const [at, ...numbers] = cells
    const iso = at!.querySelector('time')!.dateTime
    const midOf = numbers[0]!.querySelector('.aside')?.textContent?.trim() ?? ''
    const candle = numbers[0]!.dataset.candle?.split(' ').map(Number) ?? []
    return { s: Date.parse(iso) / 1000, values: numbers.map(numberIn), midOf, candle }
  })
  return rows.reverse()
}

/** Texts of the page for this script, in its language; places for values are in braces. */
type Words = Record<'tap' | 'point' | 'keys' | 'none' | 'range' | 'reading', string>

const plot = document.querySelector<HTMLElement>('[data-chart]')
const words: Words = JSON.parse(plot?.dataset.words ?? '{}')
const locale = plot?.dataset.locale
const dates = plot?.dataset.dates
const point = decimalPoint(locale)

function numberIn(cell: HTMLTableCellElement): number | null {
  const text = numberText(cell.lastChild?.textContent, point)
  return text === '' ? null : Number(text)
}

function show(place: HTMLElement, table: HTMLTableElement): void {
  const rows = rowsOf(table)
  const data = columnsOf(rows)
  const reading = document.createElement('p')
  reading.className = 'chart-reading small'
  reading.setAttribute('role', 'status')
  place.before(reading)
  const read = (at: number | null) => (reading.textContent = at === null ? hint() : readingAt(at))
  const hint = () => (matchMedia('(pointer: coarse)').matches ? words.tap : words.point)
  const decimals = decimalsOf(table)
  const readingAt = (at: number) => {
    const { s, values, midOf, candle } = rows[at]!
    const [mid, best, samples] = values
    const rate = (value: number | null | undefined) =>
      value == null ? words.none : value.toLocaleString(locale, { minimumFractionDigits: decimals })
    const [, high, low] = candle
    const ends = { low: rate(low), high: rate(high) }
    const range = candle.length > 0 ? ` (${filled(words.range, ends)})` : ''
    const shownMid = midOf ? `${rate(mid)} (${midOf})` : rate(mid) + range
    return filled(words.reading, {
      time: timeText(s, place),
      mid: shownMid,
      best: rate(best),
      samples: String(samples),
    })
  }
  for (const live of document.querySelectorAll<HTMLElement>('[data-live]')) live.hidden = false
  let chart = drawn()
  read(null)
  const again = () => {
    chart.destroy()
    chart = drawn()
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again)
  new ResizeObserver(() => {
    if (chart.width !== widthOf(place)) chart.setSize(sizeOf(place))
  }).observe(place)
  reachable(place, { count: rows.length, shown: () => chart, read })

  function drawn(): uPlot {
    place.replaceChildren()
    place.classList.add('chart-live')
    return new uPlot(optionsOf(place, { read, rows }), data, place)
  }
}

/** The columns of the rows, and the end of the last row, which holds until then. */
function columnsOf(rows: readonly Row[]): uPlot.AlignedData {
  const column = (i: number) => [...rows.map(({ values }) => values[i] ?? null), null]
  const mid = (isCarried: boolean) => [
    ...rows.map(({ values, midOf }) => ((midOf !== '') === isCarried ? values[0]! : null)),
    null,
  ]
  const [last, before] = [rows.at(-1)!.s, rows.at(-2)?.s]
  const endS = last + (before === undefined ? DAY_S : last - before)
  const end = (i: number) => [...rows.map(({ candle }) => candle[i] ?? null), null]
  const times = [...rows.map(({ s }) => s), endS]
  return [times, column(2), end(HIGH), end(LOW), mid(false), mid(true), column(1)]
}

const HIGH = 1
const LOW = 2
/** The part of its bucket that the body of a candle takes, and its width at most. */
const BODY = 0.6
const BODY_PX_MAX = 12

/** The candles of rows: a line from low to high, and a body from open to close. */
const candles =
  (rows: readonly Row[]): uPlot.Series.PathBuilder =>
  (chart, _series, from, to) => {
    const [stroke, fill] = [new Path2D(), new Path2D()]
    const [times] = chart.data
    for (let i = from; i <= Math.min(to, rows.length - 1); i++) {
      const { candle } = rows[i]!
      if (candle.length === 0) continue
      const [open, high, low, close] = candle.map((rate) => chart.valToPos(rate, 'y', true))
      const [left, right] = [times[i]!, times[i + 1]!].map((s) => chart.valToPos(s, 'x', true))
      const width = Math.min((right! - left!) * BODY, BODY_PX_MAX * devicePixelRatio)
      const middle = (left! + right!) / 2
      stroke.moveTo(middle, high!)
      stroke.lineTo(middle, low!)
      const box = [middle - width / 2, Math.min(open!, close!), width, Math.abs(open! - close!)]
      stroke.rect(box[0]!, box[1]!, box[2]!, box[3]!)
      if (close! > open!) fill.rect(box[0]!, box[1]!, box[2]!, box[3]!)
    }
    return { stroke, fill }
  }

/** A line of steps: each value from its own time to the next one, and none if there is none. */
const held: uPlot.Series.PathBuilder = (chart, series, from, to) => {
  const stroke = new Path2D()
  const [times, values] = [chart.data[0], chart.data[series]!]
  const x = (i: number) => Math.round(chart.valToPos(times[i]!, 'x', true))
  let isDrawing = false
  for (let i = from; i < Math.min(to + 1, times.length - 1); i++) {
    const value = values[i]
    if (value == null) {
      isDrawing = false
      continue
    }
    const y = Math.round(chart.valToPos(value, 'y', true))
    if (isDrawing) stroke.lineTo(x(i), y)
    else stroke.moveTo(x(i), y)
    stroke.lineTo(x(i + 1), y)
    isDrawing = true
  }
  return { stroke }
}

type Reach = { count: number; shown(): uPlot; read(at: number | null): void }

/** Lets the arrow keys move through the values; Home and End go to the first and the last. */
function reachable(place: HTMLElement, { count, shown, read }: Reach): void {
  let at = count
  place.tabIndex = 0
  place.setAttribute('role', 'img')
  place.setAttribute('aria-label', `${place.dataset.label} ${words.keys}`)
  const steps: Record<string, (from: number) => number> = {
    ArrowLeft: (from) => from - 1,
    ArrowRight: (from) => from + 1,
    Home: () => 0,
    End: () => count - 1,
  }
  place.addEventListener('keydown', (event) => {
    const step = steps[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    at = Math.min(count - 1, Math.max(0, step(at)))
    const chart = shown()
    const [times] = chart.data
    const middle = (times[at]! + times[at + 1]!) / 2
    chart.setCursor({ left: chart.valToPos(middle, 'x'), top: chart.bbox.height / 4 })
    read(at)
  })
}

/** The values that a line would not show. */
const alone: uPlot.Series.Points.Filter = (chart, series) =>
  aloneIn(chart.data[series] as (number | null)[])

type Shown = { read(at: number | null): void; readonly rows: readonly Row[] }

function optionsOf(place: HTMLElement, { read, rows }: Shown): uPlot.Options {
  const colour = (name: string) => getComputedStyle(place).getPropertyValue(name).trim()
  const [ink, line] = [colour('--ink-soft'), colour('--line')]
  const font = `12px ${getComputedStyle(place).fontFamily}`
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const { bars } = uPlot.paths
  const stepped = { points: { show: false }, paths: held }
  return {
    ...sizeOf(place),
    tzDate: (s) => uPlot.tzDate(new Date(s * 1000), 'UTC'),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: true }, y: {}, samples: { range: (_u, _min, max) => [0, max * 4] } },
    axes: [
      { ...axis, grid: { show: false }, space: 72, values: timeTicks },
      {
        ...axis,
        size: axisWidth,
        values: (_u, splits) => splits.map((value) => tick(value, splits)),
      },
    ],
    series: [
      {},
      {
        label: 'samples',
        scale: 'samples',
        fill: colour('--chart-samples'),
        width: 0,
        paths: bars!({ size: [0.7, 8], align: 1 }),
        points: { show: false },
      },
      {
        label: 'high',
        stroke: colour('--chart-candle'),
        fill: colour('--chart-candle'),
        width: 1,
        points: { show: false },
        paths: candles(rows),
      },
      { label: 'low', points: { show: false }, paths: () => null },
      { ...stepped, label: 'mid', stroke: colour('--chart-mid'), width: 1.5 },
      { ...stepped, label: 'mid', stroke: colour('--chart-mid'), width: 1.5, dash: [4, 4] },
      {
        ...{ ...stepped, label: 'best', stroke: colour('--chart-best'), width: 2 },
        points: { show: true, size: 7, fill: colour('--chart-best'), filter: alone },
      },
    ],
    hooks: { setCursor: [(chart) => read(rowAt(chart))] },
  }
}

/** The row that holds at the cursor; null while it is elsewhere. */
function rowAt(chart: uPlot): number | null {
  const { left } = chart.cursor
  if (left === undefined || left < 0) return null
  const [times] = chart.data
  const s = chart.posToVal(left, 'x')
  const after = times.findIndex((time) => time > s)
  return Math.max(0, (after === -1 ? times.length - 1 : after) - 1)
}

const DAY_S = 86_400
const MONTH_S = 28 * DAY_S

const timeTicks: uPlot.Axis.DynamicValues = (_chart, splits, _axis, _space, step) =>
  splits.map((s) => {
    if (step >= MONTH_S) return dateText(s, isJanuary(s) ? MONTH_AND_YEAR : { month: 'short' })
    return dateText(s, step < DAY_S && s % DAY_S !== 0 ? HOUR : { day: 'numeric', month: 'short' })
  })

const MONTH_AND_YEAR = { month: 'short', year: 'numeric' } as const
const HOUR = { hour: '2-digit', minute: '2-digit' } as const

const isJanuary = (s: number): boolean => new Date(s * 1000).getUTCMonth() === 0

const dateText = (s: number, parts: Intl.DateTimeFormatOptions): string =>
  new Date(s * 1000).toLocaleString(dates, { timeZone: 'UTC', hourCycle: 'h23', ...parts })

const LABEL_CHARACTER = 7
const LABEL_GAP = 16

const axisWidth: uPlot.Axis.Size = (_chart, values) =>
  LABEL_GAP + LABEL_CHARACTER * Math.max(4, ...(values ?? []).map((text) => text.length))

/** A tick's label, with enough decimals to distinguish neighbours. */
function tick(value: number, splits: readonly number[]): string {
  const step = splits.length > 1 ? Math.abs(splits[1]! - splits[0]!) : 1
  const decimals = Math.max(0, Math.min(10, Math.ceil(-Math.log10(step) - 1e-9)))
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return value.toLocaleString(locale, digits)
}

function decimalsOf({ tBodies }: HTMLTableElement): number {
  const texts = [...tBodies[0]!.rows].map(({ cells }) =>
    numberText(cells[1]?.lastChild?.textContent, point),
  )
  return Math.max(0, ...texts.map((text) => (text.split('.')[1] ?? '').length))
}

const timeText = (s: number, { dataset }: HTMLElement): string =>
  dateText(s, { ...DAY, ...(dataset.unit === 'hour' && HOUR) })

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

const widthOf = (place: HTMLElement): number => Math.floor(place.clientWidth)

const sizeOf = (place: HTMLElement) => {
  const width = widthOf(place)
  return { width, height: width < NARROW ? HEIGHT_NARROW : HEIGHT }
}

const source = document.getElementById(plot?.dataset.chart ?? '')
if (plot && source instanceof HTMLTableElement) show(plot, source)
