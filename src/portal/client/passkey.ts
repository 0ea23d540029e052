import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

if (browserSupportsWebAuthn())
  for (const note of document.querySelectorAll<HTMLElement>('[data-no-passkeys]'))
    note.hidden = true

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  if (!browserSupportsWebAuthn()) continue
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const fault = faultIn(form)
    fault.textContent = ''
    try {
      const refusal = await answered(form)
      if (refusal === null) form.submit()
      else fault.textContent = refusal
    } catch (error) {
      fault.textContent =
        (error as Error).name === 'SecurityError'
          ? fault.dataset.atAddress!
          : fault.dataset.cancelled!
    }
  })
}

/** Element of a form that shows its error; it holds the words for that. */
function faultIn(form: HTMLFormElement): HTMLElement {
  return form.querySelector<HTMLElement>('[data-passkey-fault]')!
}

/** Fills in the form what the browser's passkey returns; returns the reason if we request none. */
async function answered(form: HTMLFormElement): Promise<string | null> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  const reply = await fetch(`${form.action}/options`, { method: 'POST', body })
  const said = await reply.json().catch(() => ({}))
  const { tooMany, cancelled } = faultIn(form).dataset
  if (reply.status === 429) return tooMany!
  if (!reply.ok) return typeof said.error === 'string' ? said.error : cancelled!
  const credential =
    form.dataset.passkey === 'create'
      ? await startRegistration({ optionsJSON: said })
      : await startAuthentication({ optionsJSON: said })
  form.querySelector<HTMLInputElement>('[name=credential]')!.value = JSON.stringify(credential)
  return null
}
