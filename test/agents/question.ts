import type { Sql } from '~/store/database.ts'
import type { Random } from '../fuzz/random.ts'

/** Caveat that has to come with a number, because the number alone would mislead. */
export type Caveat =
  /** The price is for another amount, at most a factor of two away. */
  | 'nearest'
  /** The price is older than a week. */
  | 'stale'
  /** The rate is of an earlier date than the requested one. */
  | 'earlier'
  /** The rate is too far from the mid of its day to be believed; its date is known. */
  | 'suspect'

/** The right answer. */
export type Truth =
  /** Unknowable: any number would be wrong. */
  | { readonly isUnknowable: true }
  | {
      readonly isUnknowable: false
      readonly figure?: number
      /** Names of which any is right, as some are equally good. */
      readonly names?: readonly string[]
      /** Names in their order. */
      readonly list?: readonly string[]
      readonly date?: string
      readonly caveats: readonly Caveat[]
    }

export const UNKNOWABLE: Truth = { isUnknowable: true }

/** Reply of a player. */
export type Reply = {
  /** Says whether the player declines. */
  readonly isDeclined: boolean
  readonly figure: number | null
  readonly name: string | null
  readonly list: readonly string[]
  readonly date: string | null
  readonly caveats: readonly Caveat[]
}

export const DECLINED: Reply = {
  isDeclined: true,
  figure: null,
  name: null,
  list: [],
  date: null,
  caveats: [],
}

export const said = (some: Partial<Reply>): Reply => ({ ...DECLINED, isDeclined: false, ...some })

/** The words of a question, as a person says them. */
export type Slots = Readonly<Record<string, string | number>>

export type Question = {
  readonly template: string
  readonly slots: Slots
  /** The whole question in one sentence, for a model. */
  readonly text: string
  readonly truth: Truth
}

/** Source of a template's values: the database alone. */
export type Draw = {
  readonly sql: Sql
  readonly random: Random
  /** A string that orders rows at random, for `md5`. */
  readonly salt: string
}

export type Drawn = Omit<Question, 'template'>

/** One kind of question, with its words and its truth. */
export type Template = {
  readonly name: string
  /** Says whether every question of this kind must be declined. */
  readonly isUnknowable: boolean
  draw(draw: Draw): Promise<Drawn>
}
