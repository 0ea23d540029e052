import { PATHS } from '~/portal/paths.ts'

/** The path of a provider's page. */
export const providerPath = (id: string): string => `${PATHS.providers}/${encodeURIComponent(id)}`
