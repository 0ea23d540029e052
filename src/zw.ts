import { openInput } from './command/file.ts'
import { openObservationFile } from './wire/observation-file.ts'
import { readCatalogueFile } from './wire/catalogue-file.ts'
import { sampleCatalogue } from './sample/sample.ts'
import { CatalogueIndex } from './memory/catalogue-index.ts'
const c = readCatalogueFile(JSON.stringify(sampleCatalogue('http://x')))
const rules = { catalogue: new CatalogueIndex(c), nowMs: Date.now(), defaultEffectiveMs: Date.now() }
for (let i = 0; i < 3; i++) {
let rows = 0; const t = performance.now()
for await (const b of (await openObservationFile((await openInput('/tmp/cmdwork/big.csv')).bytes, rules)).batches) rows += b.rows.length
console.log(rows, ((performance.now()-t)*1e3/rows).toFixed(2))
}
