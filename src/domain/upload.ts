/** Choices for reading the table of an upload, as far as they were found or made. */
export type UploadChoices = {
  /** Meaning of each column, by its place; null if it is not read. */
  readonly columns: readonly (string | null)[]
  /** Values for all rows, by the field of a row. */
  readonly fixed: Readonly<Record<string, string>>
  readonly decimal: '.' | ',' | null
  readonly dates: 'dd/MM/yyyy' | 'MM/dd/yyyy' | null
  readonly timeZone: string | null
  /** Says whether rates that are implausible are recorded too. */
  readonly isAccepted: boolean
  /** Says whether a person looked at the columns and chose them. */
  readonly isChosen: boolean
}

/** Choices of an account for a table with these columns, for the next one like it. */
export type UploadLayout = {
  /** The names of the columns, in their order and folded. */
  readonly header: readonly string[]
  readonly choices: UploadChoices
}

/** A table that was sent and is looked at before its prices are recorded. */
export type UploadDraft = {
  readonly id: string
  readonly accountId: string
  /** The address of the person who sent it. */
  readonly person: string
  readonly fileName: string
  readonly createdMs: number
  readonly rowCount: number
  /** The table, compressed. */
  readonly content: Uint8Array
  readonly choices: UploadChoices
}

/** An upload that is recorded together with its rows. */
export type UploadNote = Pick<UploadDraft, 'id' | 'accountId' | 'person' | 'fileName'> & {
  readonly recordedMs: number
}

/** The observations of an upload, and between which times they took effect. */
export type UploadSpan = {
  readonly ids: readonly number[]
  readonly sinceMs: number
  readonly untilMs: number
}

/** An upload whose prices were recorded. */
export type Upload = UploadSpan &
  Omit<UploadNote, 'person'> & {
    /** Null once that person's account is deleted. */
    readonly person: string | null
    /** The time when it was withdrawn; null for one that was not. */
    readonly withdrawnMs: number | null
  }

/** An upload in a list, without the ids of its rows. */
export type ListedUpload = Omit<Upload, keyof UploadSpan> & { readonly rowCount: number }

/** The longest time for which a draft is retained. */
export const DRAFT_MS_MAX = 2 * 60 * 60 * 1000
/** The maximum number of drafts of an account; one more replaces its oldest. */
export const DRAFTS_MAX = 5
/** The maximum number of remembered layouts of an account; one more replaces its oldest. */
export const LAYOUTS_MAX = 50
