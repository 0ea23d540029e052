type Props = {
  readonly label: string
  readonly page: number
  readonly pages: number
  /** The address of a page without its number. */
  readonly href: string
}

/** Links to the pages before and after if there are several. */
export const Pager = ({ label, page, pages, href }: Props) =>
  pages > 1 && (
    <nav aria-label={label} class="actions">
      {page > 1 && <a href={`${href}&page=${page - 1}`}>Rows before</a>}
      <span class="muted">
        Page {page} of {pages}
      </span>
      {page < pages && <a href={`${href}&page=${page + 1}`}>Further rows</a>}
    </nav>
  )
