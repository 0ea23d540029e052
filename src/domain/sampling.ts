/** The samplers that select traces, by the names that OpenTelemetry gives its settings. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** `share`, from 0 to 1, is used by the ratio samplers only. */
export type Sampling = { readonly sampler: (typeof SAMPLERS)[number]; readonly share: number }
