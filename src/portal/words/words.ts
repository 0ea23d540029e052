import { IntlMessageFormat } from 'intl-messageformat'
import type { ComponentChildren } from 'preact'
import ar from './ar.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { Format } from './format.ts'
import fr from './fr.json' with { type: 'json' }
import { type Language, languageOf, prefixOf } from './language.ts'
import pt from './pt.json' with { type: 'json' }
import sw from './sw.json' with { type: 'json' }

export type MessageKey = keyof typeof en

/** The messages of each language, in the format of ICU. */
export const CATALOGUES: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = {
  en,
  fr,
  pt,
  ar,
  sw,
}

type Values = Readonly<Record<string, string | number>>

/** Replacement of a tag of a message: `<link>all prices</link>` is given `['all prices']`. */
type Tag = (parts: ComponentChildren[]) => ComponentChildren

type RichValues = Readonly<Record<string, ComponentChildren | Tag>>

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const LEFT_TO_RIGHT = /[[\p{L}\p{N}]--[\p{Script=Arabic}\p{Script=Hebrew}]]/v
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'
/** Marks of a message that is more than text. */
const MARKUP = /[{<']/

/** The texts, numbers and names of one language: everything that a page says. */
export class Words extends Format {
  readonly #messages = new Map<MessageKey, IntlMessageFormat>()

  private constructor(
    language: Language,
    /**
     * Says whether the page is at the language's own address, and so are those that it leads to.
     */
    readonly isAddressed: boolean,
  ) {
    super(language)
  }

  /** The words of a language; one object for each, created when first requested. */
  static in(language: Language, { isAddressed = false } = {}): Words {
    const made = isAddressed ? ADDRESSED : PLAIN
    return made.getOrInsertComputed(language, () => new Words(language, isAddressed))
  }

  /** The words of an email for a person whose language is known by its code; else English. */
  static forMail(code: string | null): Words {
    return Words.in(languageOf(code) ?? 'en')
  }

  /** The words themselves, for a part that takes them apart and also passes them on. */
  get words(): this {
    return this
  }

  get direction(): 'ltr' | 'rtl' {
    return this.language === 'ar' ? 'rtl' : 'ltr'
  }

  /** Prefix of the paths of pages that this page links to. */
  get prefix(): string {
    return this.isAddressed ? prefixOf(this.language) : ''
  }

  /** A message as a string. Names in it keep their own direction. Throws if a value is missing. */
  readonly say = (key: MessageKey, values: Values = {}): string => {
    const text = CATALOGUES[this.language][key]
    if (!MARKUP.test(text)) return text
    const isolated = Object.entries(values).map(([name, value]) => [name, this.isolated(value)])
    return String(this.#message(key, text).format(Object.fromEntries(isolated)))
  }

  /** A message with elements in it: a function creates a tag, a value may be an element. */
  readonly rich = (key: MessageKey, values: RichValues): ComponentChildren => {
    const given = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? this.isolated(value) : value,
    ])
    const message = this.#message(key, CATALOGUES[this.language][key])
    return message.format<ComponentChildren>(Object.fromEntries(given)) as ComponentChildren
  }

  /** Reports whether text of this direction would be torn apart by the words around it. */
  readonly isForeign = (text: string): boolean =>
    (this.direction === 'rtl' ? LEFT_TO_RIGHT : RIGHT_TO_LEFT).test(text)

  /** Two lengths of time in words, their unit once if they share it: `3 to 40 days`. */
  readonly spansText = (leastMs: number, mostMs: number): string => {
    const [least, most] = [this.spanText(leastMs), this.spanText(mostMs)]
    if (least === most) return least
    const [, count, unit] = /^(\d+)\s(.+)$/.exec(least) ?? []
    const isShared = count !== undefined && most.endsWith(unit!) && /^\d/.test(most)
    return this.say('span.range', { least: isShared ? count : least, most })
  }

  /** A value for insertion into text, in its own direction. */
  readonly isolated = <T extends string | number>(value: T): T | string =>
    typeof value === 'string' && this.isForeign(value)
      ? FIRST_STRONG_ISOLATE + value + POP_ISOLATE
      : value

  /** A text with its first letter in upper case, to begin a sentence or a heading. */
  readonly capital = (text: string): string =>
    text.charAt(0).toLocaleUpperCase(this.locale) + text.slice(1)

  #message(key: MessageKey, text: string): IntlMessageFormat {
    return this.#messages.getOrInsertComputed(key, () => new IntlMessageFormat(text, this.locale))
  }
}

const PLAIN = new Map<Language, Words>()
const ADDRESSED = new Map<Language, Words>()

/** The words of pages that are in English alone, such as those for developers. */
export const ENGLISH = Words.in('en')
