import { resolve } from 'node:path'
import { circles, deadExports, folderSizes, uses } from '../tidy/house.ts'
import { type SourceFile, sourceFiles } from '../tidy/syntax.ts'

/** `bun run house [CHECKOUT]`: metrics of the sources, of this checkout or another. */
const root = resolve(process.argv[2] ?? '.')
const sources = await sourceFiles(root, ['src'])
const tests = await sourceFiles(root, ['test'])
const functions = sources.flatMap((file) => file.functions.map(({ lines }) => lines))
const [fullest] = folderSizes(sources)

const rows: [what: string, figure: string | number][] = [
  ['files of src', sources.length],
  ['lines of src', sum(sources.map(({ lines }) => lines.length))],
  ['lines of test', sum(tests.map(({ lines }) => lines.length))],
  ['lines of a file, median and p90', quantiles(sources.map(({ lines }) => lines.length))],
  ['functions', functions.length],
  ['lines of a function, median and p90', quantiles(functions)],
  ['longest function', Math.max(...functions)],
  ['share of comment in src', share(sources)],
  ['exports', sum(sources.map(({ exports }) => exports.length))],
  ['exports used once', uses(sources, sources).filter(({ count }) => count === 1).length],
  ['exports used by tests alone', deadExports(sources, sources).length],
  ['unused exports', deadExports(sources, [...sources, ...tests]).length],
  ['circles', circles(sources).length],
  ['fullest folder', `${fullest![0]}, ${fullest![1]} files`],
]
for (const [what, figure] of rows) process.stdout.write(`| ${what} | ${figure} |\n`)

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function quantiles(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  return `${sorted[sorted.length >> 1]}, ${sorted[Math.floor(sorted.length * 0.9)]}`
}

function share(files: readonly SourceFile[]): string {
  const commented = sum(files.flatMap(({ comments }) => comments.map(({ text }) => text.length)))
  return `${((commented / sum(files.map(({ text }) => text.length))) * 100).toFixed(1)} %`
}
