import type { Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { addSourceFetch } from './fetch.ts'
import { addSourceList } from './list.ts'
import { addSourceStatus } from './status.ts'

export function addSources(program: Command, terminal: Terminal): void {
  const sources = program.command('sources').description('official rates from central banks')
  addSourceList(sources, terminal)
  addSourceFetch(sources, terminal)
  addSourceStatus(sources, terminal)
}
