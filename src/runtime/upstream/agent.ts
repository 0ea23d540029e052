import type { Config } from '~/config.ts'
import { version } from '../../../package.json'

/** The user agent of queries to upstreams, with the address of this service if it has one. */
export const agentOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `corridor/${version}${publicUrl === null ? '' : ` (+${publicUrl})`}`
