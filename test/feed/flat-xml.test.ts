import { describe, expect, test } from 'bun:test'
import { flatXml } from '~/feed/flat-xml.ts'

const read = (text: string) =>
  flatXml(text).map(({ name, attributes }) => [name, Object.fromEntries(attributes)] as const)

describe('flatXml', () => {
  test('reads elements with their attributes in the order they begin', () => {
    const inner = '<b/>text<c r="2" ></c>'
    const text = `<?xml version="1.0"?>\n<!-- <b> -->\n<a:x p='1' q = "it's">${inner}</a:x>\n`
    expect(read(text)).toEqual([
      ['a:x', { p: '1', q: "it's" }],
      ['b', {}],
      ['c', { r: '2' }],
    ])
  })

  test.each([
    '',
    'text',
    '<a>',
    '</a>',
    '<a></b>',
    '<a><b></a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a',
    '<a p=1/>',
    '<a p="1" p="2"/>',
    '<a p="<b/>"/>',
    '<!DOCTYPE a [<!ENTITY x "y">]><a/>',
    '<a><![CDATA[x]]></a>',
    '<a><?php x ?></a>',
    '<a><!-- never closed </a>',
  ])('%p is malformed', (text) => {
    expect(() => flatXml(text)).toThrow('did not answer complete XML')
  })
})
