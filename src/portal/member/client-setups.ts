import type { Words } from '~/portal/words/words.ts'

const NAME = 'corridor'

/** The reader writes a key in its place. */
export const KEY = 'YOUR_KEY'

type Piece = { readonly where: string; readonly text: string }

/** Setup of one client: by signing in here, or with a key. */
export type Setup = {
  readonly name: string
  readonly signIn: Piece
  readonly withKey: Piece
}

/** A link that opens a client with the tool server filled in, to be confirmed there. */
type InstallLink = { readonly name: string; readonly href: string }

/**
 * The links of the clients that take one, for a tool server at `url`. Claude's comes first, and
 * only if the address is https: its servers are what calls it, and they call nothing else.
 */
export function installLinks(url: string): InstallLink[] {
  const connector = { connectorName: 'Corridor', connectorUrl: url }
  const query = new URLSearchParams({ modal: 'add-custom-connector', ...connector })
  const config = encodeURIComponent(btoa(JSON.stringify({ url })))
  const server = encodeURIComponent(JSON.stringify({ name: NAME, type: 'http', url }))
  return [
    ...(isPublic(url)
      ? [{ name: 'Claude', href: `https://claude.ai/customize/connectors?${query}` }]
      : []),
    {
      name: 'Cursor',
      href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${config}`,
    },
    { name: 'VS Code', href: `vscode:mcp/install?${server}` },
  ]
}

/** The set-ups of the usual clients for a tool server at `url`. */
export const clientSetups = (words: Words, url: string): Setup[] => [
  claude(words, url),
  claudeCode(words, url),
  cursor(words, url),
  vsCode(words, url),
  anyOther(words, url),
]

/** The parts of Claude where each is entered, as Claude names them. */
const CONNECTORS = 'Customize, Connectors, Add custom connector'
const DESKTOP = { file: 'claude_desktop_config.json', menu: 'Settings, Developer, Edit Config' }

function claude({ say }: Words, url: string): Setup {
  const bridge = ['-y', 'mcp-remote', url, ...(needsLeave(url) ? ['--allow-http'] : [])]
  const bridged = (rest: readonly string[], env: object) =>
    json({ mcpServers: { [NAME]: { command: 'npx', args: [...bridge, ...rest], ...env } } })
  return {
    name: say('tools.claude'),
    signIn: isPublic(url)
      ? { where: say('tools-where.connector', { menu: CONNECTORS }), text: url }
      : {
          where: say('tools-where.only-https', DESKTOP),
          text: bridged([], {}),
        },
    withKey: {
      where: say('tools-where.file-menu', DESKTOP),
      text: bridged(['--header', `X-API-Key:${filledIn('CORRIDOR_KEY')}`], {
        env: { CORRIDOR_KEY: KEY },
      }),
    },
  }
}

function claudeCode({ say }: Words, url: string): Setup {
  const command = `claude mcp add --transport http ${NAME} ${url}`
  return {
    name: 'Claude Code',
    signIn: { where: say('tools-where.shell-sign-in'), text: command },
    withKey: {
      where: say('tools-where.shell'),
      text: `${command} --header "X-API-Key: ${KEY}"`,
    },
  }
}

function cursor({ say }: Words, url: string): Setup {
  const at = { file: '~/.cursor/mcp.json' }
  return {
    name: 'Cursor',
    signIn: {
      where: say('tools-where.file-settings', at),
      text: json({ mcpServers: { [NAME]: { url } } }),
    },
    withKey: {
      where: say('tools-where.file', at),
      text: json({ mcpServers: { [NAME]: { url, headers } } }),
    },
  }
}

function vsCode({ say }: Words, url: string): Setup {
  const at = { file: '.vscode/mcp.json' }
  const asked = { type: 'promptString', id: 'corridor-key', description: 'Key', password: true }
  const keyed = { 'X-API-Key': filledIn('input:corridor-key') }
  return {
    name: 'VS Code',
    signIn: {
      where: say('tools-where.file-start', at),
      text: json({ servers: { [NAME]: { type: 'http', url } } }),
    },
    withKey: {
      where: say('tools-where.file-asks', at),
      text: json({ inputs: [asked], servers: { [NAME]: { type: 'http', url, headers: keyed } } }),
    },
  }
}

const anyOther = ({ say }: Words, url: string): Setup => ({
  name: say('tools.any-other'),
  signIn: {
    where: say('tools-where.most'),
    text: json({ mcpServers: { [NAME]: { type: 'http', url } } }),
  },
  withKey: {
    where: say('tools-where.bearer'),
    text: json({ mcpServers: { [NAME]: { type: 'http', url, headers } } }),
  },
})

const headers = { 'X-API-Key': KEY }

/** The name of a value in the way that clients write it; they put the value in themselves. */
const filledIn = (name: string): string => `\${${name}}`

/** Reports whether servers elsewhere may call an address. */
const isPublic = (url: string): boolean => url.startsWith('https:')

/** Reports whether mcp-remote needs a flag, as it does for http addresses elsewhere. */
const needsLeave = (url: string): boolean =>
  url.startsWith('http:') && !['localhost', '127.0.0.1'].includes(new URL(url).hostname)

const json = (value: unknown): string => JSON.stringify(value, null, 2)
