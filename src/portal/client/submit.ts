// Sends the form of a link in an email for the person who opened it.
document.querySelector<HTMLFormElement>('form[data-submit]')?.submit()

export {}
