import { ADAPTERS } from '~/feed/feeds.ts'
import type { Addresses } from '~/http/edge/address.ts'
import { cookiePrefixOf } from '~/portal/cookies.ts'
import { sessionsBy } from '~/portal/member/session-name.ts'
import type { PortalOptions } from '~/portal/routes.ts'
import { sampleSources } from '~/sample/sample.ts'
import type { People } from './people/people.ts'
import type { ServiceOptions } from './service-options.ts'
import type { SharedSecret } from './shared-secret.ts'

type Parts = Pick<ServiceOptions, 'config' | 'sample'> & {
  addresses: Addresses
  people: Pick<People, 'routes'>
  secret: SharedSecret
}

/** Options of the pages, from the settings; a demonstration credits its sample's sources. */
export function portalOptions({ config, addresses, sample, people, secret }: Parts): PortalOptions {
  const feeds = new Set(config.feeds.map(({ name }) => name))
  return {
    addressOf: addresses.of,
    people: people.routes,
    isMailed: config.smtpUrl !== null,
    sessionOf: sessionsBy(secret, cookiePrefixOf(config.publicUrl)),
    requestsPerMinute: config.boardRequestsPerMinute,
    sessionIdleMs: config.sessionIdleMs,
    witnesses: config.witnesses.map(({ key }) => key),
    credits: [
      ...(sample === null ? [] : sampleSources.map((text) => ({ text, url: null }))),
      ...[...feeds].map((name) => ADAPTERS[name].attribution),
    ],
  }
}
