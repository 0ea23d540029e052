/** A field in its CSV form. */
const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A record as a line of CSV, without the line end. */
export const csvLine = (fields: readonly string[]): string => fields.map(csvField).join(',')

/** A text that a spreadsheet would take for a formula, made plain by an apostrophe before it. */
export const plainText = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
