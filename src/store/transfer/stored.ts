import * as alerting from '~/store/alert/schema.ts'
import * as evidence from '~/store/evidence/schema.ts'
import * as files from '~/store/file/schema.ts'
import * as known from '~/store/known/schema.ts'
import * as past from '~/store/past/schema.ts'
import * as factors from '~/store/portal/factor-schema.ts'
import * as connections from '~/store/portal/oauth-schema.ts'
import * as portal from '~/store/portal/schema.ts'
import * as recording from '~/store/recording/schema.ts'
import * as references from '~/store/reference-schema.ts'
import * as schema from '~/store/schema.ts'
import * as sources from '~/store/source/schema.ts'

/** The schema files whose tables are in backups; those made from others are not among them. */
export const STORED: readonly object[] = [
  ...[schema, recording, known, past, files, references],
  ...[portal, sources, connections, factors, alerting, evidence],
]
