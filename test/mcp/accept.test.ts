import { describe, expect, test } from 'bun:test'
import { replyForm } from '~/mcp/accept.ts'

describe('replyForm', () => {
  test.each([
    [null, 'json'],
    ['', 'json'],
    ['application/json', 'json'],
    ['APPLICATION/JSON', 'json'],
    ['application/*', 'json'],
    ['text/event-stream', 'sse'],
    ['text/*', 'sse'],
    ['application/json, text/event-stream', 'json'],
    ['application/json;q=0.9, text/event-stream;q=0.1', 'json'],
    ['application/json;q=0.1, text/event-stream;q=0.9', 'sse'],
    ['application/json;q=0, */*', 'sse'],
    ['*/*;q=0.1, text/event-stream', 'sse'],
    ['text/html, */*;q=0.8', 'json'],
    ['text/html', null],
    ['application/json;q=0', null],
    ['application/json;q=2', null],
    ['application/json;q=x', null],
  ])('of %p is %p', (accept, form) => {
    expect(replyForm(accept)).toBe(form as 'json')
  })

  test('depends on this request only, whatever the one before it wanted', () => {
    const wishes = [
      ['text/event-stream', 'sse'],
      [null, 'json'],
      ['text/html', null],
    ] as const
    for (const [first] of wishes)
      for (const [second, form] of wishes) {
        replyForm(first)
        expect(replyForm(second)).toBe(form)
        expect(replyForm(second)).toBe(form)
      }
  })
})
