/** @jsxImportSource preact */
import { CopyBox } from '~/portal/copy-box.tsx'

const KEY = 'YOUR_KEY'

type Client = { readonly name: string; readonly where: string; readonly text: string }

/** How to connect the usual clients to the tool server. */
export function ToolClients({ home }: { home: string }) {
  return (
    <section class="stack-tight" aria-labelledby="tools-title">
      <h2 id="tools-title">Tools for agents</h2>
      <p class="muted">
        The same data over the Model Context Protocol, with the same keys and the same quota. Put a
        key of yours in the place of {KEY}.
      </p>
      {clientsOf(`${home}/mcp`).map(({ name, where, text }, i) => (
        <details key={name}>
          <summary>{name}</summary>
          <div class="stack-tight details-body">
            <p class="muted small">{where}</p>
            <CopyBox id={`client-${i}`} label={`the set-up for ${name}`} text={text} />
          </div>
        </details>
      ))}
    </section>
  )
}

function clientsOf(url: string): Client[] {
  const headers = { 'X-API-Key': KEY }
  return [
    {
      name: 'Claude Code',
      where: 'In a shell:',
      text: `claude mcp add --transport http corridor ${url} --header "X-API-Key: ${KEY}"`,
    },
    {
      name: 'Claude Desktop',
      where: 'In claude_desktop_config.json (Settings, Developer, Edit Config):',
      text: json({
        mcpServers: {
          corridor: {
            command: 'npx',
            args: [
              ...['-y', 'mcp-remote', url, '--header', `X-API-Key:${filledIn('CORRIDOR_KEY')}`],
              ...(needsLeave(url) ? ['--allow-http'] : []),
            ],
            env: { CORRIDOR_KEY: KEY },
          },
        },
      }),
    },
    {
      name: 'Cursor',
      where: 'In ~/.cursor/mcp.json:',
      text: json({ mcpServers: { corridor: { url, headers } } }),
    },
    {
      name: 'VS Code',
      where: 'In .vscode/mcp.json; it asks for the key when it starts the server:',
      text: json({
        inputs: [{ type: 'promptString', id: 'corridor-key', description: 'Key', password: true }],
        servers: {
          corridor: {
            type: 'http',
            url,
            headers: { 'X-API-Key': filledIn('input:corridor-key') },
          },
        },
      }),
    },
    {
      name: 'Any other client',
      where: 'Most take this form:',
      text: json({ mcpServers: { corridor: { type: 'http', url, headers } } }),
    },
  ]
}

/** The name of a value in the way that clients write it; they put the value in themselves. */
const filledIn = (name: string): string => `\${${name}}`

/** Whether mcp-remote needs a flag: it calls http addresses only on this machine unless allowed. */
const needsLeave = (url: string): boolean =>
  url.startsWith('http:') && !['localhost', '127.0.0.1'].includes(new URL(url).hostname)

const json = (value: unknown): string => JSON.stringify(value, null, 2)
