import { LRUCache } from 'lru-cache'
import { type HomeDeps, homeOf } from '~/http/edge/home.ts'
import { StaticFile } from '~/http/static-file.ts'

/** Stands for the address of the service in a text that is made once for all of its addresses. */
export const ANYWHERE = 'https://corridor.invalid'

/** How many of the addresses that a service is asked at have a file that is kept. */
const HOMES_MAX = 8

/** A JSON file that names the address at which it is asked for, with a tag for each. */
export class AddressedFile {
  readonly #kept = new LRUCache<string, StaticFile>({ max: HOMES_MAX })

  constructor(
    private readonly deps: HomeDeps,
    private readonly template: () => Promise<string>,
  ) {}

  async reply(request: Request): Promise<Response> {
    const home = homeOf(request, this.deps)
    const file = this.#kept.get(home) ?? (await this.#madeFor(home))
    return file.reply(request, 'revalidated')
  }

  async #madeFor(home: string): Promise<StaticFile> {
    const bytes = (await this.template()).replaceAll(ANYWHERE, home)
    const file = new StaticFile({ bytes, type: 'application/json' })
    this.#kept.set(home, file)
    return file
  }
}
