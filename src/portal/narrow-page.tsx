/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact'
import type { Page } from './page.tsx'

type Narrow = { title: string; path: string; children: ComponentChildren; status?: number }

/** A page of one column, to read or to fill in, under its title. */
export const narrowPage = ({ title, path, children, status = 200 }: Narrow): Page => ({
  title,
  path,
  status,
  body: (
    <div class="stack-tight narrow">
      <h1>{title}</h1>
      {children}
    </div>
  ),
})
