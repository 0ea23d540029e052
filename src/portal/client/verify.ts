import { answerIn } from '../verify/answer.ts'
import { bytesOf, type Finding, type Known, unclear } from '../verify/finding.ts'
import { PROOF_TITLE, proofFinding } from '../verify/log-proof.ts'
import { saidIn } from '../verify/said.ts'
import { answerFinding } from '../verify/signed-answer.ts'

const MEBIBYTES_MAX = 8
const BYTES_MAX = MEBIBYTES_MAX * 1_048_576

const KINDS = { proved: 'good', refuted: 'bad', unclear: 'warn' } as const

const form = document.querySelector<HTMLFormElement>('[data-verify]')
if (form) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const known = knownTo(form)
    show(await findingOf(form, known), known)
  })
}

const knownTo = ({ dataset }: HTMLFormElement): Known => ({
  ...JSON.parse(dataset.verify!),
  ...saidIn(JSON.parse(dataset.words!), dataset.dates!),
})

async function findingOf(form: HTMLFormElement, known: Known): Promise<Finding> {
  const pasted = form.querySelector('textarea')!.value
  const file = form.querySelector<HTMLInputElement>('input[type=file]')!.files?.[0]
  const url = form.querySelector<HTMLInputElement>('input[type=url]')!.value.trim()
  if ((file?.size ?? pasted.length) > BYTES_MAX)
    return unclear(known, 'too-long', { most: MEBIBYTES_MAX })
  const bytes = file ? new Uint8Array(await file.arrayBuffer()) : bytesOf(pasted)
  try {
    const text = new TextDecoder().decode(bytes)
    if (text.includes(PROOF_TITLE)) return await proofFinding(text, known)
    const answer = answerIn(bytes)
    if (answer) return await answerFinding(answer, url, known)
  } catch {
    return unclear(known, 'browser')
  }
  return unclear(known, 'neither', { start: PROOF_TITLE })
}

function show({ verdict, title, shows, limits, entry }: Finding, { say }: Known): void {
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
    parts.push(element('h3', say('verify-finding.limits')), list)
  }
  result.replaceChildren(...parts)
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
