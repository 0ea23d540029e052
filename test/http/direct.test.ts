import { describe, expect, test } from 'bun:test'
import { DirectRoutes, pathOf } from '~/http/direct.ts'

const saying = (what: string) => () => new Response(what)

describe('DirectRoutes', () => {
  const rates = saying('rates')
  const dates = saying('dates')
  const routes = new DirectRoutes(
    [
      { method: 'GET', path: '/rates', handle: rates },
      { method: 'GET', path: '/dates', handle: dates },
      { method: 'POST', path: '/rates', handle: saying('posted') },
      { method: 'POST', path: '/posts', handle: saying('posted') },
    ],
    { prefixes: ['/api/v1', '/fx/api/v1'] },
  )

  test.each([
    ['http://localhost/api/v1/rates', rates],
    ['http://localhost/api/v1/dates?a=/api/v1/rates', dates],
    ['http://[::1]:3000/api/v1/rates?', rates],
    ['http://localhost/fx/api/v1/rates?from=USD', rates],
  ])('%s is read there', (url, handle) => {
    expect(routes.of(url)).toBe(handle)
  })

  test.each([
    'http://localhost/api/v1/posts',
    'http://localhost/api/v1/rates/',
    'http://localhost/ex/api/v1/rates',
    'http://localhost/api/v1/Rates',
    'http://localhost/api/v1/gates',
    'http://localhost/api/v1/rate',
    'http://localhost/?/api/v1/rates',
    'http://localhost/api/v1/%72ates',
    'http://localhost',
    '/api/v1/rates',
  ])('%s is not', (url) => {
    expect(routes.of(url)).toBeUndefined()
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
