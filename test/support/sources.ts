import type { Sources } from '~/jobs/refresh.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createConnectorStore } from '~/store/source/connector-store.ts'
import { createSourceStateStore } from '~/store/source/state-store.ts'

/** Sources of data that the log does not report, as `serve` has them. */
export const sourcesOf = (database: Database): Sources => ({
  feeds: createFeedStateStore(database),
  quoteSources: createSourceStateStore(database),
  connectors: createConnectorStore(database),
  access: createAccountStore(database),
  usage: createUsageStore(database),
})
