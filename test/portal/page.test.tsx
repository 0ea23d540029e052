import { describe, expect, test } from 'bun:test'
import { Assets } from '~/portal/assets.ts'
import { CopyBox } from '~/portal/copy-box.tsx'
import { Field, Select } from '~/portal/form.tsx'
import { Notice } from '~/portal/notice.tsx'
import { type Page, type PageDeps, pageReply } from '~/portal/page.tsx'

const HOSTILE = `"><script>alert('1')</script>&`
const deps: PageDeps = {
  assets: new Assets(),
  mount: '',
  cookiePrefix: '',
  credits: [],
  sample: null,
}

const reply = (page: Partial<Page>, of: Partial<PageDeps> = {}, headers: Init = {}) =>
  pageReply({ ...deps, ...of }, new Request('http://localhost/x', { headers }), {
    title: 'A page',
    path: '/x',
    body: <p>text</p>,
    ...page,
  })

type Init = Record<string, string>

describe('pageReply', () => {
  test('allows only our own scripts and files, and no framing', async () => {
    const { headers, status } = await reply({})
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')?.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "manifest-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('escapes all its input: title, text, attributes, credits', async () => {
    const body = (
      <>
        <p title={HOSTILE}>{HOSTILE}</p>
        <Notice kind="warn" title={HOSTILE}>
          {HOSTILE}
        </Notice>
        <Field name="a" label={HOSTILE} value={HOSTILE} hint={HOSTILE} error={HOSTILE} />
        <Select name="b" label="b" value="" options={[{ value: HOSTILE, text: HOSTILE }]} />
        <CopyBox id="c" label={HOSTILE} text={HOSTILE} />
      </>
    )
    const credits = [{ text: HOSTILE, url: 'https://a.example' }]
    const html = await (await reply({ title: HOSTILE, body }, { credits, sample: HOSTILE })).text()
    expect(html.match(/&lt;script>alert/g)?.length).toBeGreaterThan(12)
    expect(html).not.toContain('<script>')
    expect(html).not.toContain(HOSTILE.slice(0, 5))
  })

  test('has no inline style, script or handler, which the policy would block', async () => {
    const html = await (await reply({ scripts: ['chart'] })).text()
    expect(html).toStartWith('<!doctype html><html lang="en">')
    expect(html).not.toMatch(/ style=| on\w+=|<style|<script(?![^>]* src=)/)
    for (const name of ['site', 'chart'])
      expect(html).toMatch(
        new RegExp(`<script type="module" src="/assets/${name}-[0-9a-f]{12}\\.js">`),
      )
    expect(await (await reply({ isFramed: true })).text()).not.toContain('<script')
  })

  test('is compressed for anonymous visitors and never for people who are signed in', async () => {
    const session = { email: 'ama@example.com', isAdmin: false }
    const gzip = { 'accept-encoding': 'gzip' }
    const open = await reply({}, {}, gzip)
    expect(open.headers.get('content-encoding')).toBe('gzip')
    expect(open.headers.get('cache-control')).toBe('no-cache')
    const text = new TextDecoder().decode(Bun.gunzipSync(await open.arrayBuffer()))
    expect(text).toBe(await (await reply({})).text())
    const own = await reply({ session }, {}, gzip)
    expect(own.headers.get('content-encoding')).toBeNull()
    expect(own.headers.get('cache-control')).toBe('no-store')
  })

  test('keeps status and headers of its own', async () => {
    const { status, headers } = await reply({ status: 404, headers: { 'retry-after': '5' } })
    expect([status, headers.get('retry-after')]).toEqual([404, '5'])
  })

  test('marks its place in the navigation', async () => {
    const html = await (await reply({ path: '/corridors' })).text()
    expect(html.match(/aria-current="page"/g)).toHaveLength(1)
    expect(html).toContain('<a href="/corridors" aria-current="page">')
  })
})

describe('a field', () => {
  test('is named by its label and described by its hint and its error', async () => {
    const body = <Field name="amount" label="Amount" value="x" hint="plain" error="no number" />
    const html = await (await reply({ body })).text()
    expect(html).toContain('<label for="amount">')
    expect(html).toMatch(/<input[^>]* id="amount"[^>]* name="amount"/)
    expect(html).toContain('aria-describedby="amount-hint amount-error"')
    expect(html).toContain('aria-invalid="true"')
  })
})
