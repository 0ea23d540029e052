import type { Sources } from '~/jobs/refresh.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'

/** Sources from which `serve` loads memory if it requests feeds. */
export const sourcesOf = (database: Database): Sources => ({
  catalogue: createCatalogueStore(database),
  quotes: createQuoteStore(database),
  references: createReferenceStore(database),
  feeds: createFeedStateStore(database),
  quoteSources: createSourceStateStore(database),
  connectors: createConnectorStore(database),
  access: createAccountStore(database),
  usage: createUsageStore(database),
})
