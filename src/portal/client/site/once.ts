/** Time without a response after which a form may be sent again. */
const RESPONSE_MS = 5000

// A second click while the first is on its way would create a second key.
const sent = new WeakSet<HTMLFormElement>()
addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement
  if (event.defaultPrevented || form.method !== 'post') return
  if (sent.has(form)) event.preventDefault()
  sent.add(form)
  setTimeout(() => sent.delete(form), RESPONSE_MS)
})

export {}
