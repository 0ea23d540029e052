import { describe, expect, test } from 'bun:test'
import { END } from '~/domain/live/event-id.ts'
import { endedText, streamTexts } from '~/wire/stream/text.ts'

const texts = streamTexts('/api/v1')

describe('the texts of a stream', () => {
  test('an end has no id, so that the reader keeps the one that it has', () => {
    const error = 'the key was revoked; connect with another one'
    expect(endedText({ error, code: 'revoked_key' })).toBe(
      `event: ended\ndata: {"error":"${error}","code":"revoked_key"}\n\n`,
    )
    expect(texts.slow()).toStartWith('event: slow\ndata: {"error":"')
  })

  test('a beat is a comment that tells the place, and sets it without an event', () => {
    expect(texts.beat({ position: 12, place: END })).toBe(': 12-\nid: 12-\n\n')
  })
})
