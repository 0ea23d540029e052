/** Browsers propose only what holds the text of a field, so writing has to replace that text. */
for (const input of document.querySelectorAll<HTMLInputElement>('input[list]'))
  input.addEventListener('focus', () => input.select())
