import type { Config } from '~/config.ts'
import { version } from '../../../package.json'

/** The name under which upstreams are asked, with the address of this service if it has one. */
export const agentOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `corridor/${version}${publicUrl === null ? '' : ` (+${publicUrl})`}`
