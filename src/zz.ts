import { openInput } from './command/file.ts'
import { openObservationFile } from './wire/observation-file.ts'
import { readCatalogueFile } from './wire/catalogue-file.ts'
import { sampleCatalogue } from './sample/sample.ts'
import { CatalogueIndex } from './memory/catalogue-index.ts'
import { linesOf } from './wire/lines.ts'
import { csvTable } from './wire/csv-table.ts'
const c = readCatalogueFile(JSON.stringify(sampleCatalogue('http://x')))
console.log(c.faults)
const rules = { catalogue: new CatalogueIndex(c), nowMs: Date.now(), defaultEffectiveMs: Date.now() }
for (const f of process.argv.slice(2)) {
  const time = async (name: string, g: () => Promise<AsyncIterable<any>>, n: (b:any)=>number) => { const t = performance.now(); let rows=0; for await (const b of await g()) rows+=n(b); console.log(f,name, rows, ((performance.now()-t)*1e3/rows).toFixed(2),'us/row', Math.round(process.memoryUsage().rss/1e6)) }
  await time('lines', async () => linesOf((await openInput(f)).bytes), b=>b.length)
  await time('csv', async () => (await csvTable(linesOf((await openInput(f)).bytes), [])).records, b=>b.length)
  await time('rows', async () => (await openObservationFile((await openInput(f)).bytes, rules)).batches, b=>b.rows.length)
}
