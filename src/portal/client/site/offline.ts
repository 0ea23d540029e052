// Lets the site be installed, and its pages be read without a connection.
const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')
if (manifest && 'serviceWorker' in navigator)
  addEventListener('load', () => {
    navigator.serviceWorker.register(new URL('worker.js', manifest.href)).catch(() => undefined)
  })

// A page as it was seen before gives way to the present one once the site can be reached.
if (document.querySelector('[data-offline]'))
  addEventListener('online', () => {
    fetch(location.href, { method: 'HEAD' }).then(
      () => location.reload(),
      () => undefined,
    )
  })

export {}
