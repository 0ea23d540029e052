import { Haproxy } from './haproxy.ts'
import { OwnBalancer } from './own-balancer.ts'

export type Backend = { readonly name: string; readonly origin: string }

/**
 * Balancer in front of the replicas. It sends a request to a ready replica, or to a running one
 * when none is ready; retries a refused connection on another replica, and any failed GET; and
 * names in `x-replica` the one that responded.
 */
export type Balancer = {
  readonly origin: string
  /** Returns the number of requests that it has sent again so far. */
  retries(): Promise<number>
  /** Resolves once `name` is seen to be ready. */
  ready(name: string): Promise<void>
  close(): Promise<void>
}

const HAPROXY = Bun.which('haproxy')

/** HAProxy if the machine has it, otherwise our own balancer. */
export const openBalancer = (backends: readonly Backend[], folder: string): Promise<Balancer> =>
  HAPROXY ? Haproxy.start(HAPROXY, backends, folder) : Promise.resolve(new OwnBalancer(backends))

export const balancerName = HAPROXY ? 'HAProxy' : 'a balancer of its own'
