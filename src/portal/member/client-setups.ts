const NAME = 'corridor'

/** Text that the reader replaces by a key. */
export const KEY = 'YOUR_KEY'

/** A text to take along, and where it goes. */
type Piece = { readonly where: string; readonly text: string }

/** Setup of one client: by signing in here, or with a key. */
export type Setup = {
  readonly name: string
  readonly signIn: Piece
  readonly withKey: Piece
}

/** A link that opens a client with the tool server filled in, to be confirmed there. */
type InstallLink = { readonly text: string; readonly href: string }

/**
 * The links of the clients that take one, for a tool server at `url`. Claude's comes first, and
 * only where the address is https: its servers are what calls it, and they call nothing else.
 */
export function installLinks(url: string): InstallLink[] {
  const connector = { connectorName: 'Corridor', connectorUrl: url }
  const query = new URLSearchParams({ modal: 'add-custom-connector', ...connector })
  const config = encodeURIComponent(btoa(JSON.stringify({ url })))
  const server = encodeURIComponent(JSON.stringify({ name: NAME, type: 'http', url }))
  return [
    ...(isPublic(url)
      ? [{ text: 'Add to Claude', href: `https://claude.ai/customize/connectors?${query}` }]
      : []),
    {
      text: 'Add to Cursor',
      href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${config}`,
    },
    { text: 'Add to VS Code', href: `vscode:mcp/install?${server}` },
  ]
}

/** The set-ups of the usual clients for a tool server at `url`. */
export const clientSetups = (url: string): Setup[] => [
  claude(url),
  claudeCode(url),
  cursor(url),
  vsCode(url),
  anyOther(url),
]

function claude(url: string): Setup {
  const desktop = 'In claude_desktop_config.json (Settings, Developer, Edit Config)'
  const bridge = ['-y', 'mcp-remote', url, ...(needsLeave(url) ? ['--allow-http'] : [])]
  const bridged = (rest: readonly string[], env: object) =>
    json({ mcpServers: { [NAME]: { command: 'npx', args: [...bridge, ...rest], ...env } } })
  return {
    name: 'Claude Desktop and claude.ai',
    signIn: isPublic(url)
      ? { where: 'Customize, Connectors, Add custom connector, with this address:', text: url }
      : {
          where: `Connectors of Claude take only https addresses. ${desktop}, this signs in:`,
          text: bridged([], {}),
        },
    withKey: {
      where: `${desktop}:`,
      text: bridged(['--header', `X-API-Key:${filledIn('CORRIDOR_KEY')}`], {
        env: { CORRIDOR_KEY: KEY },
      }),
    },
  }
}

function claudeCode(url: string): Setup {
  const command = `claude mcp add --transport http ${NAME} ${url}`
  return {
    name: 'Claude Code',
    signIn: { where: 'In a shell; in Claude Code, /mcp then signs in:', text: command },
    withKey: { where: 'In a shell:', text: `${command} --header "X-API-Key: ${KEY}"` },
  }
}

function cursor(url: string): Setup {
  const where = 'In ~/.cursor/mcp.json'
  return {
    name: 'Cursor',
    signIn: {
      where: `${where}; its settings then offer to sign in:`,
      text: json({ mcpServers: { [NAME]: { url } } }),
    },
    withKey: { where: `${where}:`, text: json({ mcpServers: { [NAME]: { url, headers } } }) },
  }
}

function vsCode(url: string): Setup {
  const where = 'In .vscode/mcp.json'
  const asked = { type: 'promptString', id: 'corridor-key', description: 'Key', password: true }
  const keyed = { 'X-API-Key': filledIn('input:corridor-key') }
  return {
    name: 'VS Code',
    signIn: {
      where: `${where}; it signs in when it starts the server:`,
      text: json({ servers: { [NAME]: { type: 'http', url } } }),
    },
    withKey: {
      where: `${where}; it asks for the key when it starts the server:`,
      text: json({ inputs: [asked], servers: { [NAME]: { type: 'http', url, headers: keyed } } }),
    },
  }
}

const anyOther = (url: string): Setup => ({
  name: 'Any other client',
  signIn: {
    where: 'Most take this form, and find out by themselves how to sign in:',
    text: json({ mcpServers: { [NAME]: { type: 'http', url } } }),
  },
  withKey: {
    where: 'The key may also go into "Authorization", after "Bearer ":',
    text: json({ mcpServers: { [NAME]: { type: 'http', url, headers } } }),
  },
})

const headers = { 'X-API-Key': KEY }

/** The name of a value in the way that clients write it; they put the value in themselves. */
const filledIn = (name: string): string => `\${${name}}`

/** Reports whether servers elsewhere may call an address. */
const isPublic = (url: string): boolean => url.startsWith('https:')

/**
 * Reports whether mcp-remote needs a flag: it calls http addresses only on this machine unless
 * allowed.
 */
const needsLeave = (url: string): boolean =>
  url.startsWith('http:') && !['localhost', '127.0.0.1'].includes(new URL(url).hostname)

const json = (value: unknown): string => JSON.stringify(value, null, 2)
