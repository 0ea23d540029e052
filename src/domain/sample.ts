/**
 * What the source of each of the sample's reference rates holds. They are loaded before any of its
 * prices, stay in the database, and go with it through backups.
 */
export const SAMPLE_MARK = ' (sample, shifted '

/** What every page of a service on the sample begins with. */
export const SAMPLE_BANNER = 'Sample prices from 2025. You cannot send money at these prices.'

/** What a service says of its data if it holds the sample, and no demonstration says more. */
export const SAMPLE_NOTICE =
  'sample data: some or all of these prices are those of 2025 that the demonstration shows'
