import { dirname } from 'node:path'
import type { SourceFile } from './syntax.ts'

export type DeadExport = { readonly path: string; readonly name: string }

/** Number of times that each export of `files` is imported by `readers`; a `*` takes every name. */
export function uses(
  files: readonly SourceFile[],
  readers: readonly SourceFile[],
): (DeadExport & { count: number })[] {
  const counts = new Map<string, number>()
  for (const { imports } of readers)
    for (const { from, name } of imports) {
      const key = `${from} ${name}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return files.flatMap(({ path, exports }) =>
    exports.map((name) => {
      const count = (counts.get(`${path} ${name}`) ?? 0) + (counts.get(`${path} *`) ?? 0)
      return { path, name, count }
    }),
  )
}

/** Exports of `files` that none of `readers` imports. */
export const deadExports = (
  files: readonly SourceFile[],
  readers: readonly SourceFile[],
): DeadExport[] => uses(files, readers).filter(({ count }) => count === 0)

/**
 * Groups of files that import each other in a circle, by Tarjan's algorithm; imports of types alone
 * count too, since a reader has to follow them as well.
 */
export function circles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ from }) => from)]))
  const indexes = new Map<string, number>()
  const lows = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string) => {
    indexes.set(path, indexes.size)
    lows.set(path, indexes.get(path)!)
    stack.push(path)
    for (const next of targets.get(path)!) {
      if (!targets.has(next)) continue
      if (!indexes.has(next)) visit(next)
      if (stack.includes(next)) lows.set(path, Math.min(lows.get(path)!, lows.get(next)!))
    }
    if (lows.get(path) !== indexes.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1) found.push(group.sort())
  }
  for (const path of targets.keys()) if (!indexes.has(path)) visit(path)
  return found
}

/** The number of files in each folder itself, the fullest first. */
export function folderSizes(files: readonly SourceFile[]): [folder: string, files: number][] {
  const sizes = new Map<string, number>()
  for (const { path } of files) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1)
  return [...sizes].sort(([, a], [, b]) => b - a)
}
