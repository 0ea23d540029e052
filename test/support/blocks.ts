import type { Page } from './pages.ts'

/** A fenced block of a page: its info string, and the place of its first line. */
export type Block = {
  readonly path: string
  readonly line: number
  /** Language of the text, such as `sh` or `json`. */
  readonly language: string
  /** Runner of the block, or its name; empty for none. */
  readonly mark: string
  readonly text: string
}

/** Languages of commands: a script, a session with prompts, a line of cron. */
const COMMAND_LANGUAGES = ['sh', 'console', 'crontab']

export const isOfCommands = ({ language }: Block): boolean => COMMAND_LANGUAGES.includes(language)

/** The fenced blocks of a page, in order. */
export function blocksOf({ path, text }: Page): Block[] {
  return [...text.matchAll(/^```(\S*)[ ]?(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    path,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[1]!,
    mark: match[2]!,
    text: match[3]!,
  }))
}

/** A command of a block, and its output on the page. */
export type Step = { readonly line: number; readonly command: string; readonly printed: string }

/** The commands of a block: each line after a prompt, or a script as a whole. */
export function stepsOf({ language, line, text }: Block): Step[] {
  if (language === 'sh') return [{ line, command: text.trimEnd(), printed: '' }]
  const steps: Step[] = []
  for (const [i, row] of text.trimEnd().split('\n').entries()) {
    const last = steps.at(-1)
    if (row.startsWith('$ '))
      steps.push({ line: line + i, command: row.slice('$ '.length), printed: '' })
    else if (last?.command.endsWith('\\'))
      steps.splice(-1, 1, { ...last, command: `${last.command}\n${row}` })
    else if (last) steps.splice(-1, 1, { ...last, printed: `${last.printed}${row}\n` })
  }
  return steps
}
