import { expect, test } from 'bun:test'
import { olderDocument } from '~/http/docs/older-document.ts'

/** A schema as the page's document has it. */
const older = (schema: object) => olderDocument({ properties: { of: schema } }).properties

test.each([
  [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [{ type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  [
    { anyOf: [{ $ref: '#/components/schemas/B' }, { type: 'null' }], description: 'b' },
    { allOf: [{ $ref: '#/components/schemas/B' }], nullable: true, description: 'b' },
  ],
  [
    { anyOf: [{ const: 'x', type: 'string' }, { type: 'null' }] },
    { enum: ['x'], type: 'string', nullable: true },
  ],
  [{ exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: true }],
  [
    { examples: ['a', 'b'], type: 'string' },
    { example: 'a', type: 'string' },
  ],
])('the page has %j as %j', (schema, expected) => {
  expect(older(schema)).toEqual({ of: expected })
  const [inner, wanted] = [schema, expected].map((one) => ({
    properties: { type: one, const: one },
    items: one,
  }))
  expect(older(inner!)).toEqual({ of: wanted })
})

test('values of examples, enumerations and defaults stay as they are', () => {
  const data = { type: ['string', 'null'], const: 1 }
  const media = { examples: { a: { value: data } } }
  const schema = { default: data, enum: [data] }
  expect(olderDocument({ content: { json: { ...media, schema } } })).toEqual({
    openapi: '3.0.3',
    content: { json: { ...media, schema } },
  })
})

test('only parameters with an example of their own are filled in', () => {
  const parameter = { in: 'query', name: 'a', example: 1, schema: { type: 'number' } }
  const asked = { ...parameter, schema: { type: 'number', examples: [2] } }
  expect(olderDocument({ parameters: [asked] })).toMatchObject({ parameters: [parameter] })
})
