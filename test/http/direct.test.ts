import { describe, expect, test } from 'bun:test'
import { DirectRoutes } from '~/http/direct.ts'

const saying = (what: string) => () => new Response(what)

describe('DirectRoutes', () => {
  const rates = saying('rates')
  const dates = saying('dates')
  const below = saying('below')
  const routes = new DirectRoutes(
    [
      { method: 'GET', path: '/rates', fetch: rates },
      { method: 'GET', path: '/dates', fetch: dates },
      { method: 'POST', path: '/rates', fetch: saying('posted') },
      { method: 'POST', path: '/posts', fetch: saying('posted') },
      { method: 'GET', path: '/compat/*', fetch: below },
    ],
    { prefixes: ['/api/v1', '/fx/api/v1'] },
  )

  test.each([
    ['http://localhost/api/v1/rates', rates],
    ['http://localhost/api/v1/dates?a=/api/v1/rates', dates],
    ['http://[::1]:3000/api/v1/rates?', rates],
    ['http://localhost/fx/api/v1/rates?from=USD', rates],
    ['http://localhost/api/v1/compat/key/plain?a=b', below],
    ['http://localhost/fx/api/v1/compat/', below],
  ])('%s is a direct route', (url, handle) => {
    expect(routes.of(url)).toBe(handle)
  })

  test.each([
    'http://localhost/api/v1/posts',
    'http://localhost/api/v1/compat',
    'http://localhost/compat/key',
    'http://localhost/api/v1/rates/',
    'http://localhost/ex/api/v1/rates',
    'http://localhost/api/v1/Rates',
    'http://localhost/api/v1/gates',
    'http://localhost/api/v1/rate',
    'http://localhost/?/api/v1/rates',
    'http://localhost/api/v1/%72ates',
    'http://localhost',
    '/api/v1/rates',
  ])('%s is not a direct route', (url) => {
    expect(routes.of(url)).toBeUndefined()
  })
})
