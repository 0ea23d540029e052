import { comparison, type Report } from './report.ts'

/**
 * The ratios between two saved reports. Throws one line that names the file which is not a report.
 */
export async function compareBench(old: string, fresh: string): Promise<string> {
  return comparison(await reportIn(old), await reportIn(fresh))
}

async function reportIn(file: string): Promise<Report> {
  const kept = Bun.file(file)
  if (!(await kept.exists()))
    throw new Error(`there is no report at ${file}: bun run bench http makes one (--out FILE)`)
  const report = await kept.json().catch(() => null)
  if (!Array.isArray(report?.results) || !Array.isArray(report.figures))
    throw new Error(`${file} is no report of bun run bench http`)
  return report
}
