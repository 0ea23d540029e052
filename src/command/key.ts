import { type Command, InvalidArgumentError } from 'commander'
import { systemClock } from '~/clock.ts'
import {
  isKeyName,
  KEY_NAME_RULE,
  KEY_ORIGINS_RULE,
  keyOriginsOf,
  type ListedKey,
  READ_ONLY_BUDGET,
} from '~/domain/account.ts'
import { keyMark } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { newKey, SHOWN_ONCE } from '~/runtime/new-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { holdsSample } from '~/store/reference-store.ts'
import { iso } from '~/wire/present.ts'
import { mailOfKey } from './key-mail.ts'
import { tableLines } from './table.ts'
import { CommandFailure, printResult, type Terminal, withExisting } from './terminal.ts'

type Json = { json?: boolean }

export function addKey(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('the keys of an account')
  key
    .command('create')
    .description('one more key for an account')
    .requiredOption('--account <id>', 'whose key')
    .requiredOption('--name <name>', 'what it is for', nameOf)
    .option('--read-only', 'a key that reads mids only and may be part of a URL')
    .option('--budget <units>', 'the units a day of a read-only key, else 100', budgetOf)
    .option('--origins <list>', 'web origins whose pages alone may use a read-only key', originsOf)
    .option('--json', 'print one JSON document')
    .action((options: Creation, command: Command) => create(terminal, options, command))
  key
    .command('list')
    .description('the keys of an account, the revoked ones too')
    .requiredOption('--account <id>', 'whose keys')
    .option('--json', 'print one JSON document')
    .action((options) => list(terminal, options))
  key
    .command('revoke')
    .description('end a key: the next request with it is refused')
    .argument('<key-id>', 'the key')
    .option('--json', 'print one JSON document')
    .action((id, options) => revoke(terminal, id, options))
}

type Creation = Json & {
  account: string
  name: string
  readOnly?: boolean
  budget?: number
  origins?: readonly string[]
}

async function create(terminal: Terminal, options: Creation, command: Command) {
  const { account, name, readOnly = false, budget, origins = null, json = false } = options
  const ofReadOnly = budget !== undefined ? '--budget' : origins ? '--origins' : null
  if (ofReadOnly && !readOnly)
    command.error(`error: ${ofReadOnly} is for a read-only key; add --read-only, or leave it out`)
  const { key, hash, lastFour } = newKey(readOnly)
  const dailyBudget = readOnly ? (budget ?? READ_ONLY_BUDGET) : null
  const created = await withExisting(terminal, async (database) => {
    const store = createAccountStore(database)
    const wanted = { accountId: account, name, hash, lastFour, dailyBudget, origins }
    const made = await store.createKey({ ...wanted, actor: COMMAND_LINE })
    const { accounts } = await store.loadAccount(account)
    const isSample = await holdsSample(database.sql)
    if (!made) return null
    const { email } = accounts[0]!
    const language = await createPortalStore(database).languageOf(email)
    return { ...made, isSample, email, language }
  })
  if (!created) throw unknownAccount(account)
  printResult(terminal, {
    isJson: json,
    result: { key_id: created.id, name: created.name, key },
    lines: [`key_id  ${created.id}`, `name    ${created.name}`, `key     ${key}`, SHOWN_ONCE],
  })
  await mailOfKey(terminal, { ...created, key: created })
}

async function list(terminal: Terminal, { account, json = false }: Json & { account: string }) {
  const keys = await withExisting(terminal, async (database) => {
    const store = createAccountStore(database)
    const { accounts } = await store.loadAccount(account)
    if (accounts.length === 0) throw unknownAccount(account)
    return store.listKeys(account)
  })
  const rows = keys.map(presentKey)
  const header = ['key_id', 'name', 'key', 'created_at', 'revoked_at']
  const cells = rows.map((row) => [
    ...[row.key_id, row.name, row.key],
    ...[row.created_at, row.revoked_at ?? '-'],
  ])
  printResult(terminal, {
    isJson: json,
    result: rows,
    lines: rows.length === 0 ? ['this account has no key'] : tableLines([header, ...cells]),
  })
}

async function revoke(terminal: Terminal, id: string, { json = false }: Json) {
  const revoked = await withExisting(terminal, (database) =>
    createAccountStore(database).revokeKey(id, systemClock.now(), { actor: COMMAND_LINE }),
  )
  if (!revoked) throw new CommandFailure(`there is no key ${id}; key list shows an account's keys`)
  const revokedAt = iso(revoked.revokedMs)
  printResult(terminal, {
    isJson: json,
    result: { key_id: revoked.keyId, revoked_at: revokedAt },
    lines: [`key ${revoked.keyId} (${keyMark(revoked)}) is revoked since ${revokedAt}`],
  })
}

const presentKey = ({ id, name, createdMs, revokedMs, ...key }: ListedKey) => ({
  key_id: id,
  name,
  key: keyMark(key),
  created_at: iso(createdMs),
  revoked_at: revokedMs === null ? null : iso(revokedMs),
  ...(key.origins && { origins: key.origins }),
})

const unknownAccount = (id: string): CommandFailure =>
  new CommandFailure(`there is no account ${id}; account list shows them all`)

function nameOf(text: string): string {
  const name = text.trim()
  if (isKeyName(name)) return name
  throw new InvalidArgumentError(`It must be ${KEY_NAME_RULE}.`)
}

function originsOf(text: string): readonly string[] {
  const origins = keyOriginsOf(text)
  if (origins && origins.length > 0) return origins
  throw new InvalidArgumentError(`It must be ${KEY_ORIGINS_RULE}.`)
}

function budgetOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999999.')
}
