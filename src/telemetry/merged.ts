type Family = { readonly head: string[]; readonly samples: string[] }

const SAMPLE = /^([a-zA-Z_:][\w:]*)(\{)?/

/**
 * The expositions of several processes as one, in which each sample has another label that names
 * its process. `texts` are in the text format of Prometheus, by the value of that label.
 */
export function merged(label: string, texts: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>()
  for (const [whose, text] of texts) {
    let family: Family | undefined
    for (const line of text.split('\n')) {
      const [, comment, name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? []
      if (comment && name) {
        family = families.getOrInsertComputed(name, () => ({ head: [], samples: [] }))
        if (!family.head.includes(line)) family.head.push(line)
      } else if (line !== '') family?.samples.push(labelled(line, `${label}="${whose}"`))
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('\n')
}

const labelled = (line: string, label: string): string =>
  line.replace(SAMPLE, (_, name: string, brace?: string) =>
    brace ? `${name}{${label},` : `${name}{${label}}`,
  )
