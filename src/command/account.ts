import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type Account,
  FIRST_KEY_NAME,
  idsIn,
  isEmail,
  type ListedAccount,
  limitFault,
} from '~/domain/account.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { PLANS, type Plan, ROLES, type Role } from '~/domain/quota.ts'
import { newKey, SHOWN_ONCE } from '~/runtime/new-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { removeFactors } from '~/store/portal/factor-store.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { holdsSample } from '~/store/reference-store.ts'
import { iso } from '~/wire/present.ts'
import { mailOfKey } from './key-mail.ts'
import { tableLines } from './table.ts'
import {
  CommandFailure,
  printResult,
  type Terminal,
  withDatabase,
  withExisting,
} from './terminal.ts'

type Json = { json?: boolean }

const planOption = () => new Option('--plan <plan>', 'how fresh and how much').choices(PLANS)
const roleOption = () => new Option('--role <role>', 'who may record rates').choices(ROLES)

export function addAccount(program: Command, terminal: Terminal): void {
  const account = program.command('account').description('accounts, their plans and roles')
  account
    .command('create')
    .description('an account and its first key')
    .requiredOption('--email <email>', 'whom it belongs to', emailOf)
    .addOption(planOption().default('free'))
    .addOption(roleOption().default('member'))
    .option('--json', 'print one JSON document')
    .action((options) => create(terminal, options))
  account
    .command('update')
    .description('change the plan or the role of an account')
    .argument('<id>', 'the account')
    .addOption(planOption())
    .addOption(roleOption())
    .option('--providers <ids>', "the only ones it records prices of: a,b; '' for no limit", idsIn)
    .option('--yes', 'make a person an admin without confirmation')
    .option('--json', 'print one JSON document')
    .action((id, options, command: Command) => {
      if (!options.plan && !options.role && !options.providers)
        command.error('error: give --plan, --role or --providers')
      return update(terminal, id, options)
    })
  account
    .command('reset-second-factor')
    .description('let a person who lost every second factor sign in by password alone')
    .argument('<id>', 'the account')
    .option('--json', 'print one JSON document')
    .action((id, options) => resetSecondFactor(terminal, id, options))
  account
    .command('list')
    .description('every account')
    .option('--json', 'print one JSON document')
    .action((options) => list(terminal, options))
}

type Creation = Json & { email: string; plan: Plan; role: Role }

async function create(terminal: Terminal, { email, plan, role, json = false }: Creation) {
  const { key, hash, lastFour } = newKey()
  const wanted = { email, plan, role, keyName: FIRST_KEY_NAME, keyHash: hash, lastFour }
  const created = await withDatabase(terminal, async (database) => ({
    ...(await createAccountStore(database).create({ ...wanted, actor: COMMAND_LINE })),
    isSample: await holdsSample(database.sql),
    language: await createPortalStore(database).languageOf(email),
  }))
  printResult(terminal, {
    isJson: json,
    result: { ...presentAccount(created.account), key_id: created.key.id, key },
    lines: [...accountLines(created.account), `key      ${key}`, SHOWN_ONCE],
  })
  await mailOfKey(terminal, { ...created, email })
}

type Change = Json & { plan?: Plan; role?: Role; providers?: readonly string[]; yes?: boolean }

async function update(terminal: Terminal, id: string, change: Change) {
  const { plan, role, providers, yes = false, json = false } = change
  const account = await withExisting(terminal, async (database) => {
    const store = createAccountStore(database)
    if (role === 'admin' && !yes) await confirmAdmin(terminal, await store.loadAccount(id))
    if (providers) await assertLimit(database, id, { role, providers })
    return store.update(id, { plan, role, providers }, COMMAND_LINE)
  })
  if (!account) throw new CommandFailure(`there is no account ${id}; account list shows them all`)
  printResult(terminal, {
    isJson: json,
    result: presentAccount(account),
    lines: accountLines(account),
  })
}

async function resetSecondFactor(terminal: Terminal, id: string, { json = false }: Json) {
  const reset = await withExisting(terminal, async (database) => {
    const { accounts } = await createAccountStore(database).loadAccount(id)
    return accounts.length === 0 ? null : removeFactors(database, id, COMMAND_LINE)
  })
  if (!reset)
    throw new CommandFailure(
      `account ${id} does not exist or no person signs in to it; account list shows all accounts`,
    )
  const { email, count } = reset
  printResult(terminal, {
    isJson: json,
    result: { account_id: id, email, removed: count },
    lines: [`${email} signs in by the password alone; ${count} removed, every session ended`],
  })
}

/** Asks for confirmation by name on a terminal: an id does not identify a person. */
async function confirmAdmin(terminal: Terminal, { accounts: [account] }: Found): Promise<void> {
  if (!account || account.role === 'admin' || !terminal.isSure) return
  const question = `Make ${account.email} an admin, who may change every account and end every key?`
  if (!(await terminal.isSure(question))) throw new CommandFailure('nothing was changed')
}

type Found = { readonly accounts: readonly Account[] }

async function list(terminal: Terminal, { json = false }: Json) {
  const accounts = await withExisting(terminal, (database) => createAccountStore(database).list())
  const header = ['account_id', 'email', 'plan', 'role', 'created_at', 'active keys']
  const rows = accounts.map((account) => [
    account.id,
    account.email,
    account.plan,
    account.role,
    iso(account.createdMs),
    String(account.activeKeyCount),
  ])
  printResult(terminal, {
    isJson: json,
    result: accounts.map(presentListed),
    lines: rows.length === 0 ? ['there are no accounts yet'] : tableLines([header, ...rows]),
  })
}

const presentAccount = ({ id, email, plan, role, providers }: Account) => ({
  account_id: id,
  email,
  plan,
  role,
  ...(providers && { providers }),
})

const presentListed = (account: ListedAccount) => ({
  ...presentAccount(account),
  created_at: iso(account.createdMs),
  keys: account.keyCount,
  active_keys: account.activeKeyCount,
})

const accountLines = ({ id, email, plan, role, providers }: Account): string[] => [
  `account  ${id}`,
  `email    ${email}`,
  `plan     ${plan}`,
  `role     ${role}`,
  ...(providers ? [`for      ${providers.join(', ')}`] : []),
]

type Limit = { role: Role | undefined; providers: readonly string[] }

async function assertLimit(database: Database, id: string, limit: Limit): Promise<void> {
  const { accounts } = await createAccountStore(database).loadAccount(id)
  const role = limit.role ?? accounts[0]?.role
  if (!role) return
  const { providers } = await createCatalogueStore(database).load()
  const isProvider = (id: string) => providers.some((one) => one.id === id)
  const fault = limitFault({ role, ids: limit.providers, isProvider })
  if (fault) throw new CommandFailure(`nothing was changed: ${fault}`)
}

function emailOf(text: string): string {
  const email = text.trim()
  if (isEmail(email)) return email
  throw new InvalidArgumentError('It must be an e-mail address: name@example.org.')
}
