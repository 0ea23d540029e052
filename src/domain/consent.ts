import { DAY_MS } from './duration.ts'

/** How long a consent is good for, however often the application renews its access. */
export const CONSENT_DAYS = 180

/** When a person who allowed an application at `consentedMs` has to be asked again. */
export const consentEndMs = (consentedMs: number): number => consentedMs + CONSENT_DAYS * DAY_MS
