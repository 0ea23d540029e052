import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { ENGLISH, type Words } from './words.ts'

const Spoken = createContext<Words>(ENGLISH)

/** Sets the language of a page's parts. */
export const Speaking = Spoken.Provider

/** The words of the page that a part is on. */
export const useWords = (): Words => useContext(Spoken)

/** A name that may be written in another direction than the page, and then keeps its own. */
export const Name = ({ children }: { children: string }) =>
  useWords().isForeign(children) ? <bdi>{children}</bdi> : children

/** Turns the tag of a message into a link to `href`. */
export const linkTo = (href: string) => (parts: ComponentChildren[]) => <a href={href}>{parts}</a>
