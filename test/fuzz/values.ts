import type { Random } from './random.ts'

/** Strings that have broken programs. */
const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-0',
  '-1',
  '1',
  '00',
  '1e5',
  '1e309',
  '-1e309',
  '5e-324',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  'true',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.000000000000000000001',
  '1_000',
  '1,5',
  '0x10',
  '\u0661\u0662',
  'usd',
  'US',
  'USDX',
  'XXX',
  'USD,KES',
  ',',
  ',,,,',
  'USD,USD',
  "' OR 1=1 --",
  '"; drop table keys; --',
  '$1',
  '#{7*7}',
  '{{7*7}}',
  '%s%n',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '..\\..\\x',
  'file:///etc/passwd',
  'http://169.254.169.254/',
  '\0',
  'a\0b',
  '\r\nX-Evil: 1',
  '\n',
  '\t',
  '\u202e',
  '\ufeff',
  '\u200b',
  '\u{1f3f3}\ufe0f\u200d\u{1f308}',
  '\u{10ffff}',
  'e\u0301',
  'ß',
  'İ',
  'ﬀ',
  '2026-02-30',
  '2026-13-01',
  '0000-00-00',
  '9999-12-31',
  '-000001-01-01',
  '2026-11-21T25:00:00Z',
  '2026-11-21T10:00:00+99:00',
  '1970-01-01',
  'now',
  'P1D',
  'PT1H',
  '1d',
  '90d',
  '999999d',
  'asc',
  'GB',
  'gh',
  'UK',
  'cash,mobile_money',
  'cash|cash',
  'PT0S',
  'P2D',
  'country',
  'all',
  'DESC',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  '[object Object]',
  '[]',
  '{}',
  '*',
  '?',
  '&',
  '#',
  '=',
  ';',
  '\\',
  '/',
  '//',
] as const

const CHARACTERS =
  'aZ09 _-.,:;/\\?&=%+#"\'<>{}[]()|~^`@!$*\t\u00e9\u4e2d\u{1f600}\0\x7f\u0085\u2028'
const LENGTHS = [1, 2, 3, 8, 40, 256, 2000, 9000]

/** Any string: one of those above, noise, or one character very often. */
export function oddText(random: Random): string {
  const draw = random.unit()
  if (draw < 0.6) return random.pick(ODD_TEXTS)
  const characters = [...CHARACTERS]
  const length = random.pick(draw < 0.95 ? LENGTHS.slice(0, 5) : LENGTHS)
  if (draw < 0.7) return random.pick(characters).repeat(length)
  return Array.from({ length }, () => random.pick(characters)).join('')
}

/** Any JSON value, as text: odd fields, odd nesting, and now and then invalid JSON. */
export function oddJson(random: Random, depth = 0): string {
  const draw = random.unit()
  if (draw < 0.35 || depth > 4) return JSON.stringify(oddText(random))
  if (draw < 0.5) return random.pick(ODD_NUMBERS)
  if (draw < 0.6) return random.pick(['null', 'true', 'false', '""', '[]', '{}'])
  const inner = () => oddJson(random, depth + 1)
  if (draw < 0.78) return `[${random.some(4, inner).join()}]`
  const member = () => `${JSON.stringify(oddText(random))}:${inner()}`
  if (draw < 0.97) return `{${random.some(4, member).join()}}`
  return random.pick(NO_JSON)
}

const ODD_NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '0.1234567890123456789',
  '123456789012345678901234567890.5',
  '1E+2',
  '4294967296',
  '2147483648',
]

const NO_JSON = [
  '',
  'NaN',
  "{'a':1}",
  '{"a":1,}',
  '[1,]',
  '{"a"',
  '\ufeff{}',
  '{}{}',
  '"\\ud800"',
  '01',
  '+1',
  '.5',
  '// x\n1',
  '\0',
]

/** JSON deeper than any parser should go. */
export function deepJson(random: Random): string {
  const depth = random.pick([10, 20, 21, 100, 5_000, 100_000])
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const)
  return open.repeat(depth) + (random.chance(0.5) ? `1${close.repeat(depth)}` : '')
}
