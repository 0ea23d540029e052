const csvField = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A record as a line of CSV, without the line end. */
export const csvLine = (fields: readonly string[]): string => fields.map(csvField).join(',')

/** A line of CSV with its end, by RFC 4180. */
export const csvRow = (fields: readonly string[]): string => `${csvLine(fields)}\r\n`

/**
 * Beginning of a formula, at the start of a string or where a program that splits at `;`, tabs or
 * line breaks would begin another cell; such programs drop white space and quotes before it.
 */
const FORMULA = /(^|[;\t\v\f\r\n\x85\u2028\u2029])([\s"]*)([=+\-@＝＋－＠])/g

/** Puts an apostrophe before each formula in a string, so that a spreadsheet finds none. */
export const plainText = (text: string): string => text.replace(FORMULA, "$1$2'$3")
