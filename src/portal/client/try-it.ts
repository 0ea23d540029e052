export {}

const BASE = '/api/v1'
/** The address of the service, whose scripts lie in a folder below it. */
const HOME = new URL('..', import.meta.url).href.replace(/\/$/, '')
const BODY_CHARS_MAX = 20_000

const box = document.querySelector<HTMLElement>('[data-try-it]')
const key = document.querySelector<HTMLInputElement>('#try-key')
const path = document.querySelector<HTMLInputElement>('#try-path')
const ask = document.querySelector<HTMLButtonElement>('#try-ask')
const result = document.querySelector<HTMLElement>('#try-status')
const answer = document.querySelector<HTMLElement>('#try-answer')
const call = document.querySelector<HTMLElement>('#try-curl code')

if (box && key && path && ask && result && answer) {
  box.hidden = false
  const shown = box.dataset.keyFrom && document.getElementById(box.dataset.keyFrom)
  if (shown) key.value = shown.textContent?.trim() ?? ''
  ask.addEventListener('click', () => void send())
  for (const input of [key, path])
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') void send()
    })
  path.addEventListener('input', showCall)
  addEventListener('pagehide', () => {
    key.value = ''
  })
}

/** The URL of the request at a service's address; null if it is not below the API. */
function questionTo(home: string): URL | null {
  const api = `${home}${BASE}`
  const url = new URL(`${api}${path!.value.trim()}`)
  return url.href.startsWith(`${api}/`) ? url : null
}

/**
 * Shows the shell call of the request; characters that a shell would read as quotes are encoded.
 */
function showCall(): void {
  const url = questionTo(box!.dataset.tryIt!)
  if (!url || !call) return
  call.textContent = `curl -H "X-API-Key: $CORRIDOR_KEY" '${url.href.replaceAll("'", '%27')}'`
}

async function send(): Promise<void> {
  answer!.hidden = true
  const url = questionTo(HOME)
  if (!url) {
    result!.textContent = box!.dataset.noQuestion!
    return
  }
  result!.textContent = box!.dataset.asking!
  try {
    const headers = { 'X-API-Key': key!.value.trim() }
    const reply = await fetch(url, { headers, credentials: 'omit', cache: 'no-store' })
    const text = await reply.text()
    result!.textContent = summaryOf(reply)
    show(text)
  } catch {
    result!.textContent = box!.dataset.unreachable!
  }
}

function summaryOf({ status: code, headers }: Response): string {
  const [left, limit] = [headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-limit')]
  const parts = [`HTTP ${code}`]
  if (left && limit)
    parts.push(box!.dataset.left!.replace('{left}', left).replace('{limit}', limit))
  return parts.join(' · ')
}

function show(text: string): void {
  const pretty = indented(text)
  const cut = pretty.length > BODY_CHARS_MAX
  answer!.hidden = false
  answer!.tabIndex = 0
  answer!.querySelector('pre')!.textContent = cut
    ? `${pretty.slice(0, BODY_CHARS_MAX)}\n${box!.dataset.cut}`
    : pretty
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
