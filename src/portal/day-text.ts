const DAY = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})

/** The UTC day that holds a moment: `21 Nov 2026`. */
export const dayText = (ms: number): string => DAY.format(ms)
