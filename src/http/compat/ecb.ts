import { plainDecimal } from '~/domain/decimal.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { roundAmount } from '~/domain/round.ts'
import type { Api, Table } from './api.ts'
import { dateOf } from './asked.ts'
import { CompatError } from './fault.ts'

/** The number of days of a file; the full one has as many as a range of all currencies. */
const DAYS = { 'hist-90d': 90, hist: 366 } as const
const EURO = 'EUR'
const NAMESPACES =
  'xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" ' +
  'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"'

/** The European Central Bank's files of reference rates: the last day, ninety days and a year. */
export const ecb: Api = {
  name: 'ecb',
  question(asked) {
    const [name] =
      asked.match(/^(?:stats\/eurofxref\/)?eurofxref-(daily|hist-90d|hist)\.xml$/) ?? []
    if (!name) throw new CompatError('path', 'there is no such file')
    const days = DAYS[name as keyof typeof DAYS]
    const span = days ? asked.between([asked.today - (days - 1) * DAY_MS, asked.today]) : null
    return { rates: { base: EURO, quotes: null, span, bank: asked.bank(), write: written } }
  },
  error: (_, { message, status }) => [status, `${message}\n`],
}

/** A day without mids of its own is left out, as the bank leaves out days without rates. */
function written({ days }: Table): string {
  const cubes = days
    .map(({ rows, startMs }) => ({
      rows: rows.filter(({ quote }) => quote !== EURO),
      startMs,
    }))
    .filter(({ rows, startMs }) => days.length === 1 || rows.some(({ atMs }) => atMs >= startMs))
    .map(({ rows, startMs }) => cubeOf(days.length === 1 ? oldestOf(rows) : startMs, rows))
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope ${NAMESPACES}>
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>Corridor</gesmes:name>
	</gesmes:Sender>
	<Cube>
${cubes.reverse().join('\n')}
	</Cube>
</gesmes:Envelope>
`
}

const oldestOf = (rows: Table['rows']): number => Math.min(...rows.map(({ atMs }) => atMs))

const cubeOf = (atMs: number, rows: Table['rows']): string =>
  [
    `\t\t<Cube time='${dateOf(atMs)}'>`,
    ...rows.map(
      ({ quote, rate }) =>
        `\t\t\t<Cube currency='${quote}' rate='${plainDecimal(String(roundAmount(rate)))}'/>`,
    ),
    '\t\t</Cube>',
  ].join('\n')
