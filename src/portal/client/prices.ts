const BYTES_MAX = 8 * 1_048_576

/** The cells of a table as text with tabs between them, each in one line. */
const textOf = (table: HTMLTableElement): string =>
  [...table.rows]
    .map(({ cells }) =>
      [...cells]
        .map(({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim())
        .join('\t'),
    )
    .join('\n')

/** Table with tabs that was copied; null if it was not a table with several cells. */
function tableIn(data: DataTransfer): string | null {
  const html = new DOMParser().parseFromString(data.getData('text/html'), 'text/html')
  const table = html.querySelector('table')
  if (table && table.rows.length > 1) return textOf(table)
  const text = data.getData('text/plain')
  return text.includes('\t') && text.includes('\n') ? text : null
}

function listen(zone: HTMLElement, form: HTMLFormElement): void {
  const file = form.querySelector<HTMLInputElement>('input[type=file]')!
  const pasted = form.querySelector('textarea')!
  const zoneField = form.querySelector<HTMLInputElement>('input[name=time_zone]')!
  zoneField.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const live of zone.querySelectorAll<HTMLElement>('[data-live]')) live.hidden = false
  const check = () => {
    const isTooLarge = (file.files?.[0]?.size ?? 0) > BYTES_MAX
    file.setCustomValidity(isTooLarge ? 'This file is larger than 8 MiB.' : '')
  }
  file.addEventListener('change', () => {
    check()
    if (file.files?.length) form.requestSubmit()
  })
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    zone.classList.add('drop-over')
  })
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) zone.classList.remove('drop-over')
  })
  document.addEventListener('drop', (event) => {
    const { files } = event.dataTransfer ?? {}
    if (!files?.length) return
    event.preventDefault()
    zone.classList.remove('drop-over')
    file.files = files
    check()
    form.requestSubmit()
  })
  document.addEventListener('paste', (event) => {
    const { clipboardData } = event
    if (clipboardData?.files.length) {
      file.files = clipboardData.files
    } else {
      const table = clipboardData && tableIn(clipboardData)
      if (!table) return
      file.value = ''
      pasted.value = table
    }
    event.preventDefault()
    check()
    form.requestSubmit()
  })
}

for (const zone of document.querySelectorAll<HTMLElement>('[data-drop]'))
  listen(zone, zone.closest('form')!)
