import { LRUCache } from 'lru-cache'
import { type HomeDeps, homeOf } from '~/http/edge/home.ts'
import type { Headers } from '~/http/reply.ts'
import { type CacheRule, StaticFile } from '~/http/static-file.ts'

/** Represents the address of the service in a text that is created once for all addresses. */
export const ANYWHERE = 'https://corridor.invalid'

/** The maximum number of a service's addresses for which a file is cached. */
const HOMES_MAX = 8

type Shown = {
  /** The cache rule if the address is that of the settings. */
  readonly rule: CacheRule
  readonly headers?: Headers
}

/**
 * A JSON file that names the address at which it is requested, with a tag for each. If the address
 * depends on the request, no cache may keep the file for others.
 */
export class AddressedFile {
  readonly #kept = new LRUCache<string, StaticFile>({ max: HOMES_MAX })

  constructor(
    private readonly deps: HomeDeps,
    private readonly template: () => string | Promise<string>,
    private readonly shown: Shown = { rule: 'revalidated' },
  ) {}

  async reply(request: Request): Promise<Response> {
    const home = homeOf(request, this.deps)
    const file = this.#kept.get(home) ?? (await this.#madeFor(home))
    return file.reply(request, this.#isFixed ? this.shown.rule : 'own')
  }

  get #isFixed(): boolean {
    return this.deps.publicUrl !== null
  }

  async #madeFor(home: string): Promise<StaticFile> {
    const bytes = (await this.template()).replaceAll(ANYWHERE, home)
    const varying = this.#isFixed ? {} : { vary: 'accept-encoding, host' }
    const headers = { ...varying, ...this.shown.headers }
    const file = new StaticFile({ bytes, type: 'application/json', headers })
    this.#kept.set(home, file)
    return file
  }
}
