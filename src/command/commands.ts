import type { Command } from 'commander'
import type { Terminal } from './terminal.ts'

type Add = (program: Command, terminal: Terminal) => void

/** Every command in the order of the help, and the loader of the file that adds it. */
const FILES: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  worker: async () => (await import('./worker.ts')).addWorker,
  demo: async () => (await import('./demo.ts')).addDemo,
  mcp: async () => (await import('./mcp.ts')).addMcp,
  migrate: async () => (await import('./migrate.ts')).addMigrate,
  distribute: async () => (await import('./distribute.ts')).addDistribute,
  account: async () => (await import('./account.ts')).addAccount,
  key: async () => (await import('./key.ts')).addKey,
  catalogue: async () => (await import('./catalogue.ts')).addCatalogue,
  observations: async () => (await import('./observations.ts')).addObservations,
  reference: async () => (await import('./reference/reference.ts')).addReference,
  sources: async () => (await import('./source/sources.ts')).addSources,
  connectors: async () => (await import('./connector/connectors.ts')).addConnectors,
  rollups: async () => (await import('./rollups.ts')).addRollups,
  log: async () => (await import('./log/log.ts')).addLog,
  backup: async () => (await import('./backup/backup.ts')).addBackup,
}

/** Returns the adder of the named command; of all for the help and an unknown name. */
export function addersFor(name: string | undefined): Promise<Add[]> {
  const asked = name !== undefined && Object.hasOwn(FILES, name) ? [FILES[name]!] : null
  return Promise.all((asked ?? Object.values(FILES)).map((load) => load()))
}
