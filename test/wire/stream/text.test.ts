import { describe, expect, test } from 'bun:test'
import { END } from '~/domain/live/event-id.ts'
import { endedText, streamTexts } from '~/wire/stream/text.ts'

const texts = streamTexts('/api/v1')

describe('the text of a stream', () => {
  test('has no id at an end, so that the reader keeps its own', () => {
    const error = 'the key was revoked; connect with another one'
    expect(endedText({ error, code: 'revoked_key' })).toBe(
      `event: ended\ndata: {"error":"${error}","code":"revoked_key"}\n\n`,
    )
    expect(texts.slow()).toStartWith('event: slow\ndata: {"error":"')
  })

  test('has a comment with the position as a heartbeat, which sets it without an event', () => {
    expect(texts.beat({ position: 12, place: END })).toBe(': 12-\nid: 12-\n\n')
  })
})
