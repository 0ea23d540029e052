import { type HealthDeps, UNREADINESSES, unreadinessOf } from '~/http/health.ts'
import type { SilenceWatch } from '~/jobs/watch-providers.ts'
import { type Family, secondsOf } from '~/telemetry/families.ts'

export type ReadinessSources = {
  readonly health: HealthDeps
  readonly silence: Pick<SilenceWatch, 'silent' | 'partly'>
}

/** Metrics of whether a replica can do all of its work, and whether its providers do theirs. */
export const readinessMetrics = ({ health, silence }: ReadinessSources): Family[] => [
  {
    name: 'corridor_unready',
    help: '1 for the reason why /readyz says 503',
    type: 'gauge',
    async read() {
      const found = await unreadinessOf(health)
      return UNREADINESSES.map((reason) => [{ reason }, reason === found ? 1 : 0])
    },
  },
  {
    name: 'corridor_provider_silent_seconds',
    help: 'How long a provider that fell silent, by its usual interval, has sent nothing',
    type: 'gauge',
    read: () =>
      silence.silent.map(({ providerId, quietMs }) => [
        { provider: providerId },
        secondsOf(quietMs),
      ]),
  },
  {
    name: 'corridor_provider_silent_corridors',
    help: 'For how many corridors a provider that goes on sending fell silent, by their intervals',
    type: 'gauge',
    read: () =>
      silence.partly.map(({ providerId, corridors }) => [{ provider: providerId }, corridors]),
  },
]
