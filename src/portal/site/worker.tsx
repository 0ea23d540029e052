import { renderToString } from 'preact-render-to-string'
import { madeOnce } from '~/domain/made-once.ts'
import type { Route } from '~/http/route.ts'
import { StaticFile } from '~/http/static-file.ts'
import { Notice } from '~/portal/notice.tsx'
import type { PageDeps } from '~/portal/page.tsx'
import { LANGUAGES } from '~/portal/words/language.ts'
import { Words } from '~/portal/words/words.ts'

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"

/** The script by which a browser without a connection shows the pages that it saw last. */
export function workerRoutes({ assets, mount }: PageDeps): Route[] {
  const file = madeOnce(async () => {
    const paths = await assets.paths()
    const texts = LANGUAGES.map((language) => [language, textsOf(Words.in(language))])
    const script = mount + paths('worker.js')
    return new StaticFile({
      bytes:
        `self.offline=${JSON.stringify(Object.fromEntries(texts))};` +
        `importScripts(${JSON.stringify(script)})`,
      type: 'text/javascript; charset=utf-8',
      headers: { 'content-security-policy': POLICY },
    })
  })
  const handle = async (request: Request) => (await file()).reply(request, 'revalidated')
  return [{ method: 'GET', path: '/worker.js', handle }]
}

/** The texts shown without a connection; places for a time and a list are in braces. */
function textsOf({ say, dateLocale }: Words) {
  const seen = (
    <div data-offline>
      <Notice kind="warn" title={say('offline.title')}>
        {say('offline.seen', { time: '{time}' })}
      </Notice>
    </div>
  )
  const unseen = (
    <div class="stack-tight" data-offline>
      <h1>{say('offline.title')}</h1>
      <p class="lead">{say('offline.unseen')}</p>
      <ul class="bullets">{'{list}'}</ul>
    </div>
  )
  return {
    dates: dateLocale,
    title: say('offline.title'),
    seen: renderToString(seen),
    unseen: renderToString(unseen),
  }
}
