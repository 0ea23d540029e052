import type { ComponentChildren } from 'preact'
import type { Page } from './page.tsx'

type Narrow = Omit<Page, 'body'> & {
  /** The heading if it is not the title. */
  heading?: ComponentChildren
  /** Says whether the heading holds a string that may be as long as a line without a space. */
  isLong?: boolean
  children: ComponentChildren
}

/** A page of one column, to read or to fill in, under its heading. */
export const narrowPage = ({ heading, isLong, children, ...page }: Narrow): Page => ({
  ...page,
  body: (
    <div class="stack-tight narrow">
      <h1 class={isLong ? 'long' : undefined}>{heading ?? page.title}</h1>
      {children}
    </div>
  ),
})
