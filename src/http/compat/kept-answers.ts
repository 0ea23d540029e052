import { LRUCache } from 'lru-cache'
import type { Freshness } from '~/domain/freshness.ts'
import type { AnswerBasis } from '~/memory/answer-basis.ts'
import type { Generation } from '~/memory/memory.ts'

export type Written = { readonly body: string; readonly type: string; readonly etag: string }

type Kept = Written & { readonly basis: AnswerBasis }

const BYTES_MAX = 4 * 1_048_576
const ENTRY_BYTES = 500
const QUESTION_LENGTH_MAX = 512

/** Current responses that programs request again. Cache 13 of a read, see docs/architecture.md. */
export class KeptAnswers {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: BYTES_MAX,
    sizeCalculation: ({ body }, question) => 2 * (body.length + question.length) + ENTRY_BYTES,
  })

  find(question: string, generation: Generation, freshness: Freshness): Written | null {
    const kept = this.#kept.get(question)
    return kept?.basis.holds(generation, freshness) ? kept : null
  }

  keep(question: string, kept: Kept): void {
    if (question.length <= QUESTION_LENGTH_MAX) this.#kept.set(question, kept)
  }
}
