import { describe, expect, test } from 'bun:test'
import { xmlElements, xmlValue } from '~/feed/xml.ts'

const read = (text: string) =>
  xmlElements(text).map(({ name, attributes }) => [name, Object.fromEntries(attributes)] as const)

describe('an XML document', () => {
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
    '<a><![CDATA[x]></a>',
    '<a>'.repeat(101) + '</a>'.repeat(101),
    '<a><?php x ?></a>',
    '<a><!-- never closed </a>',
  ])('%p is malformed', (text) => {
    expect(() => xmlElements(text)).toThrow('did not return complete XML')
  })

  test('is a value of its attributes, children and text', () => {
    const text =
      '<r:rates xmlns:r="urn:r" day="1"><rate to="KES">129.5</rate><rate to="NGN">1 &lt; &#50;' +
      '</rate><note><![CDATA[a < b]]></note><empty/></r:rates>'
    expect(xmlValue(text)).toEqual({
      day: '1',
      rate: [
        { to: 'KES', text: '129.5' },
        { to: 'NGN', text: '1 < 2' },
      ],
      note: 'a < b',
      empty: '',
    })
  })
})
