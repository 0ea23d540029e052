import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'

const AT_ADDRESS = 'Passkeys need a name: open this service as localhost instead of an address.'
const TOO_MANY = 'Too many attempts. Wait a quarter of an hour, then try again.'
const CANCELLED = 'No passkey was used. Try again, or choose another way.'

if (browserSupportsWebAuthn())
  for (const note of document.querySelectorAll<HTMLElement>('[data-no-passkeys]'))
    note.hidden = true

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  if (!browserSupportsWebAuthn()) continue
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const fault = form.querySelector<HTMLElement>('[data-passkey-fault]')!
    fault.textContent = ''
    try {
      const refusal = await answered(form)
      if (refusal === null) form.submit()
      else fault.textContent = refusal
    } catch (error) {
      fault.textContent = (error as Error).name === 'SecurityError' ? AT_ADDRESS : CANCELLED
    }
  })
}

/** Fills in the form what the browser's passkey answers; the reason if we ask for none. */
async function answered(form: HTMLFormElement): Promise<string | null> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.set(name, String(value))
  const reply = await fetch(`${form.action}/options`, { method: 'POST', body })
  const said = await reply.json().catch(() => ({}))
  if (reply.status === 429) return TOO_MANY
  if (!reply.ok) return typeof said.error === 'string' ? said.error : CANCELLED
  const credential =
    form.dataset.passkey === 'create'
      ? await startRegistration({ optionsJSON: said })
      : await startAuthentication({ optionsJSON: said })
  form.querySelector<HTMLInputElement>('[name=credential]')!.value = JSON.stringify(credential)
  return null
}
