import { rangesOf } from '~/wire/accept.ts'

/** The languages of the pages; the first one is that of readers who request none of them. */
export const LANGUAGES = ['en', 'fr', 'pt', 'ar', 'sw'] as const

export type Language = (typeof LANGUAGES)[number]

/** The languages whose pages have addresses of their own, such as `/fr/send`. */
export const FURTHER_LANGUAGES = LANGUAGES.slice(1) as Exclude<Language, 'en'>[]

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  fr: 'Français',
  pt: 'Português',
  ar: 'العربية',
  sw: 'Kiswahili',
}

export const languageOf = (text: string | null | undefined): Language | null =>
  LANGUAGES.find((language) => language === text) ?? null

/** The start of the paths of a language; empty for English, which has none of its own. */
export const prefixOf = (language: Language): string => (language === 'en' ? '' : `/${language}`)

/** The language that a path begins with; null for a path without one. */
export function languageInPath(path: string): Language | null {
  const [, first] = path.split('/', 2)
  return FURTHER_LANGUAGES.find((language) => language === first) ?? null
}

export function withoutLanguage(path: string): string {
  const language = languageInPath(path)
  return language === null ? path : path.slice(prefixOf(language).length) || '/'
}

const HEADER_LENGTH_MAX = 1000

/**
 * The language that an `Accept-Language` header prefers among ours: by weight, then by place. A
 * range such as `fr-CA` means French. English if it accepts none of them.
 */
export function preferredLanguage(header: string | null): Language {
  let best: Language = 'en'
  let bestQuality = 0
  for (const { name, quality } of rangesOf((header ?? '').slice(0, HEADER_LENGTH_MAX))) {
    const language = name === '*' ? 'en' : languageOf(name.split('-')[0])
    if (language && quality > bestQuality) [best, bestQuality] = [language, quality]
  }
  return best
}
