import { expect, test } from 'bun:test'
import { renderToString } from 'preact-render-to-string'
import { DoubtfulMids } from '~/portal/operator/doubtful-mids.tsx'

test('the page has the mids that feeds dispute, and those that a single feed moved', () => {
  const mids = [
    { currency: 'GNF', movePct: null },
    { currency: 'SLE', movePct: null },
    { currency: 'NGN', movePct: -7.25 },
  ]
  const text = renderToString(<DoubtfulMids mids={mids} />).replaceAll(/<[^>]+>/g, ' ')
  expect(text).toContain('Feeds disagree on GNF, SLE; alerts on these mids fire nothing')
  expect(text).toContain('One feed alone moved NGN by -7.3%.')
  expect(renderToString(<DoubtfulMids mids={[]} />)).toBe('')
})
