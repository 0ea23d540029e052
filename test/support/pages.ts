import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** A page of the documentation: its path from the root of the repository, and its text. */
export type Page = { readonly path: string; readonly text: string }

/** The pages at the root and those in docs, by path. */
export const pages: readonly Page[] = await Promise.all(
  ['*.md', 'docs/*.md']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
    .sort()
    .map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })),
)

/** The page at a path; there has to be one. */
export function pageAt(path: string): Page {
  const page = pages.find((candidate) => candidate.path === path)
  if (!page) throw new Error(`there is no page ${path}`)
  return page
}

/** Matches of a pattern's group in a text, each once. */
export const matchesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found]) => found!)),
]

/** The rows of a page's tables with that first heading, cell by cell. */
export function tableRows({ text }: Page, heading: string): string[][] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`))
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim()))
}
