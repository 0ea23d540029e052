import { describe, expect, test } from 'bun:test'
import { directTo } from '~/http/direct.ts'

const reply = () => new Response('here')
const find = directTo(
  [
    { method: 'GET', path: '/rates', handle: reply },
    { method: 'POST', path: '/rates', handle: () => new Response('posted') },
    { method: 'POST', path: '/only-post', handle: reply },
  ],
  { prefix: '/api/v1' },
)
const finds = (url: string, method = 'GET') => find(new Request(url, { method })) === reply

describe('directTo', () => {
  test('finds the GET of an exact path, whatever the host and the query', () => {
    for (const url of [
      'http://localhost/api/v1/rates',
      'http://localhost/api/v1/rates?from=USD&to=KES',
      'http://localhost/api/v1/rates?',
      'http://a.example:8080/api/v1/rates?x=/api/v1/other',
      'http://[::1]:3000/api/v1/rates?a?b',
    ])
      expect([url, finds(url)]).toEqual([url, true])
  })

  test('leaves every other method and path to the router', () => {
    for (const method of ['HEAD', 'POST', 'PUT', 'OPTIONS'])
      expect(finds('http://localhost/api/v1/rates', method)).toBe(false)
    for (const path of ['/', '/rates', '/api/v1/rates/', '/api/v1/Rates', '/api/v1/only-post'])
      expect([path, finds(`http://localhost${path}`)]).toEqual([path, false])
    expect(finds('http://localhost')).toBe(false)
    expect(finds('http://localhost?/api/v1/rates')).toBe(false)
  })
})
