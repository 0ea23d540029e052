/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import type { Page } from './page.tsx'

type Narrow = Pick<Page, 'title' | 'path' | 'status' | 'scripts'> & { children: ComponentChildren }

/** A page of one column, to read or to fill in, under its title. */
export const narrowPage = ({ title, children, ...page }: Narrow): Page => ({
  title,
  ...page,
  body: (
    <div class="stack-tight narrow">
      <h1>{title}</h1>
      {children}
    </div>
  ),
})
