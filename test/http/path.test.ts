import { describe, expect, test } from 'bun:test'
import { pathOf } from '~/http/path.ts'

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
