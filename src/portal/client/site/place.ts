/** Browsers propose only options that contain a field's text, so typing must replace that text. */
for (const input of document.querySelectorAll<HTMLInputElement>('input[list]'))
  input.addEventListener('focus', () => input.select())
