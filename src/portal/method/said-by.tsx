import { Parser } from 'htmlparser2'
import { renderToString } from 'preact-render-to-string'
import type { AgeLimits } from '~/memory/view.ts'
import { PATHS } from '~/portal/paths.ts'
import { VERSIONS } from './versions.ts'

/** Elements that end a line of the text. */
const LINES = ['h2', 'p', 'li', 'dt', 'dd']

/**
 * The English text of every version of the methodology, by the path of its page, with the limits of
 * a service. Its lists of pegs and sources are left out, which follow the catalogue and settings.
 */
export const methodologyOf = (ageLimits: AgeLimits) =>
  VERSIONS.map(({ number, date, Text }) => ({
    name: `${PATHS.method}/${number}`,
    row: {
      date,
      text: textIn(renderToString(<Text {...{ ageLimits }} currencies={[]} credits={[]} />)),
    },
  }))

function textIn(html: string): string {
  let text = ''
  const parser = new Parser({
    ontext: (part) => {
      text += part
    },
    onclosetag: (name) => {
      if (LINES.includes(name)) text += '\n'
    },
  })
  parser.end(html)
  return text.trim()
}
