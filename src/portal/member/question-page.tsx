import type { ComponentProps } from 'preact'
import { narrowPage } from '~/portal/narrow-page.tsx'
import type { Page } from '~/portal/page.tsx'
import { useWords } from '~/portal/words/spoken.tsx'
import { TokenForm } from './token-form.tsx'

type Question = Parameters<typeof narrowPage>[0] & {
  readonly form: ComponentProps<typeof TokenForm>
  /** The path of the page for a person who does not send the form. */
  readonly back: string
  /** The text of the link to it; by default, that nothing is done. */
  readonly backText?: string
}

/** A page that asks a person for one thing, by a form, or for confirmation. */
export const questionPage = ({ form, back, backText, children, ...page }: Question): Page =>
  narrowPage({
    ...page,
    children: (
      <>
        {children}
        <TokenForm {...form} />
        <p>
          <a href={back}>{backText ?? <Cancel />}</a>
        </p>
      </>
    ),
  })

const Cancel = () => useWords().say('form.cancel')
