import { answerIn } from '../verify/answer.ts'
import { bytesOf, type Finding, type Known, unclear } from '../verify/finding.ts'
import { PROOF_TITLE, proofFinding } from '../verify/log-proof.ts'
import { answerFinding } from '../verify/signed-answer.ts'

const BYTES_MAX = 8 * 1_048_576

const KINDS = { proved: 'good', refuted: 'bad', unclear: 'warn' } as const

const form = document.querySelector<HTMLFormElement>('[data-verify]')
if (form) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    show(await findingOf(form))
  })
}

async function findingOf(form: HTMLFormElement): Promise<Finding> {
  const known: Known = JSON.parse(form.dataset.verify!)
  const pasted = form.querySelector('textarea')!.value
  const file = form.querySelector<HTMLInputElement>('input[type=file]')!.files?.[0]
  const url = form.querySelector<HTMLInputElement>('input[type=url]')!.value.trim()
  if ((file?.size ?? pasted.length) > BYTES_MAX)
    return unclear('This is too long', 'This page reads at most 8 MiB.')
  const bytes = file ? new Uint8Array(await file.arrayBuffer()) : bytesOf(pasted)
  try {
    const text = new TextDecoder().decode(bytes)
    if (text.includes(PROOF_TITLE)) return await proofFinding(text, known)
    const answer = answerIn(bytes)
    if (answer) return await answerFinding(answer, url, known)
  } catch {
    return unclear(
      'This browser cannot check it',
      'It needs a current browser, and this page at an address that begins with https://.',
    )
  }
  return unclear(
    'This is neither a response nor a proof',
    'A response begins with a line such as HTTP/1.1 200 OK and its headers, as curl -i shows it. ' +
      `A proof begins with ${PROOF_TITLE}.`,
  )
}

function show({ verdict, title, shows, limits, entry }: Finding): void {
  const result = document.querySelector<HTMLElement>('#verify-result')!
  result.className = `notice notice-${KINDS[verdict]} stack-tight`
  const head = element('h2', title)
  const parts = [head, ...shows.map((text) => element('p', text))]
  if (entry !== undefined) {
    const box = element('pre', entry)
    box.tabIndex = 0
    parts.push(box)
  }
  if (limits.length > 0) {
    const list = element('ul', '')
    list.className = 'bullets'
    list.append(...limits.map((text) => element('li', text)))
    parts.push(element('h3', 'What it does not show'), list)
  }
  result.replaceChildren(...parts)
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
