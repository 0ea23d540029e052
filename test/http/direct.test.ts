import { describe, expect, test } from 'bun:test'
import { directHandlers, pathOf } from '~/http/direct.ts'

const reply = () => new Response('here')

describe('directHandlers', () => {
  test('holds the GET of each path, and nothing of other methods', () => {
    const handlers = directHandlers(
      [
        { method: 'GET', path: '/rates', handle: reply },
        { method: 'POST', path: '/rates', handle: () => new Response('posted') },
        { method: 'POST', path: '/only-post', handle: reply },
      ],
      { prefix: '/api/v1' },
    )
    expect([...handlers]).toEqual([['/api/v1/rates', reply]])
  })
})

describe('pathOf', () => {
  test.each([
    ['http://localhost/api/v1/rates', '/api/v1/rates'],
    ['http://localhost/api/v1/rates?from=USD&to=KES', '/api/v1/rates'],
    ['http://localhost/api/v1/rates?', '/api/v1/rates'],
    ['http://a.example:8080/api/v1/rates?x=/api/v1/other', '/api/v1/rates'],
    ['http://[::1]:3000/api/v1/rates?a?b', '/api/v1/rates'],
    ['http://localhost/api/v1/rates/', '/api/v1/rates/'],
    ['http://localhost/api/v1/R%61tes', '/api/v1/R%61tes'],
    ['http://localhost/', '/'],
    ['http://localhost', ''],
    ['/rates', ''],
  ])('of %s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path)
  })
})
