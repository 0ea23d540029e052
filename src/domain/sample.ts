/**
 * Mark in the source of each of the sample's reference rates. They are loaded before any of its
 * prices, stay in the database, and go with it through backups.
 */
export const SAMPLE_MARK = ' (sample, shifted '

/** First line of every page of a service on the sample. */
export const SAMPLE_BANNER = 'Sample prices from 2025. You cannot send money at these prices.'

/** Notice of a service that holds the sample without a demonstration's own notice. */
export const SAMPLE_NOTICE =
  'sample data: some or all of these prices are those of 2025 that the demonstration shows'
