const SHOWN_MS = 2000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const id = button.dataset.copy!
  const source = document.getElementById(id)
  const result = document.querySelector<HTMLElement>(`[data-copied="${id}"]`)
  if (!source || !result) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    result.textContent = (await copied(source)) ? result.dataset.done! : result.dataset.failed!
    setTimeout(() => (result.textContent = ''), SHOWN_MS)
  })
}

/** Copies text; without a secure context, and so without a clipboard, by a selection. */
async function copied(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(source)
    return document.execCommand('copy')
  }
}
