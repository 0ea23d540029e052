/** @jsxImportSource preact */

import { isSpoken } from './paths.ts'
import { PICTURE_HEIGHT, PICTURE_WIDTH } from './picture/size.ts'
import { LANGUAGES, prefixOf } from './words/language.ts'
import type { Words } from './words/words.ts'

/** A picture of the page; its size in pixels, where that is not the usual one. */
type Picture = {
  readonly url: string
  readonly alt: string
  readonly width?: number
  readonly height?: number
}

/** Description of the page for search engines and for messages with a link to it. */
export type Known = {
  /** The address of the service. */
  readonly base: string
  /** The one path of the page, whatever its query, without a language. */
  readonly path: string
  readonly picture: Picture | null
  /** Description of the page in the words of schema.org. */
  readonly facts?: object
}

type Props = {
  readonly title: string
  readonly description: string
  readonly known: Known
  readonly words: Words
}

/** The address of the page, in each language it speaks, and what a message with it shows. */
export function KnownAs({ title, description, known, words }: Props) {
  const { base, path, picture, facts } = known
  const { language } = words
  const spoken = isSpoken(path) ? LANGUAGES : LANGUAGES.slice(0, 1)
  const url = `${base}${isSpoken(path) ? prefixOf(language) : ''}${path}`
  const card = { 'og:title': title, 'og:description': description, 'og:url': url }
  const shown = picture && {
    'og:image': picture.url,
    'og:image:width': picture.width ?? PICTURE_WIDTH,
    'og:image:height': picture.height ?? PICTURE_HEIGHT,
    'og:image:alt': picture.alt,
    'twitter:card': 'summary_large_image',
  }
  const site = { 'og:site_name': 'Corridor', 'og:type': 'website', 'og:locale': language }
  return (
    <>
      <link rel="canonical" href={url} />
      <link rel="alternate" hreflang="x-default" href={base + path} />
      {spoken.map((one) => (
        <link key={one} rel="alternate" hreflang={one} href={`${base}${prefixOf(one)}${path}`} />
      ))}
      {facts && (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: JSON.stringify(facts).replaceAll('<', '\\u003c') }}
        />
      )}
      {Object.entries({ ...site, ...card, ...shown }).map(([name, content]) => (
        <meta key={name} {...{ property: name }} content={content?.toString()} />
      ))}
    </>
  )
}
