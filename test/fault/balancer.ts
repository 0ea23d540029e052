import { Haproxy } from './haproxy.ts'
import { OwnBalancer } from './own-balancer.ts'

export type Backend = { readonly name: string; readonly origin: string }

/**
 * What stands before the replicas. It sends a request to one that is ready, or to one that lives
 * when none is ready; tries a refused connection on another, and any failed GET; and says in
 * `x-replica` who answered.
 */
export type Balancer = {
  readonly origin: string
  /** How often it has sent a request again, so far. */
  retries(): Promise<number>
  /** Resolves once `name` is seen to be ready. */
  ready(name: string): Promise<void>
  close(): Promise<void>
}

const HAPROXY = Bun.which('haproxy')

/** HAProxy where the machine has it, else one of our own. */
export const openBalancer = (backends: readonly Backend[], folder: string): Promise<Balancer> =>
  HAPROXY ? Haproxy.start(HAPROXY, backends, folder) : Promise.resolve(new OwnBalancer(backends))

export const balancerName = HAPROXY ? 'HAProxy' : 'a balancer of its own'
