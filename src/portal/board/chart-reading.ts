/** A page's text with values instead of their names in braces. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)

export const decimalPoint = (locale: string | undefined): string =>
  new Intl.NumberFormat(locale).format(0.5).replace(/\d/g, '')

/** The number that a locale wrote, without its groups and with a decimal point; empty for none. */
export const numberText = (text: string | null | undefined, point: string): string =>
  [...(text ?? '')]
    .filter((one) => one === point || /\d/.test(one))
    .join('')
    .replace(point, '.')
