import { PATHS } from '~/portal/paths.ts'

export const providerPath = (id: string): string => `${PATHS.providers}/${encodeURIComponent(id)}`
