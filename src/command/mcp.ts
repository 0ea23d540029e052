import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { serveDemo } from './demo.ts'
import { CommandFailure, type Terminal, withDefaults } from './terminal.ts'
import { bridge } from './tool-bridge.ts'

const PATH = '/mcp'

export function addMcp(program: Command, terminal: Terminal): void {
  program
    .command('mcp')
    .description('pass messages between stdio and a tool server, for clients that start a program')
    .option('--url <url>', 'a running service, with its key in CORRIDOR_KEY', toolServerAt)
    .addHelpText('after', '\nWithout --url it starts a demonstration of its own in ~/.corridor.')
    .action(({ url }: { url?: string }) => (url ? toService(terminal, url) : toDemo(terminal)))
}

/** The address of a service's MCP server, which the setting may name itself. */
function toolServerAt(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('give an address such as https://fx.example')
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(PATH) ? path : path + PATH
  return url.href
}

async function toService(terminal: Terminal, url: string): Promise<void> {
  const key = terminal.env.CORRIDOR_KEY?.trim()
  if (!key)
    throw new CommandFailure(`set CORRIDOR_KEY to a key of ${new URL(url).origin}, and start again`)
  await bridge({ url, key, ...ends(terminal) })
}

/** Serves a demonstration for this one client until it closes the input, wherever it runs. */
function toDemo(terminal: Terminal): Promise<void> {
  const env = withDefaults(terminal.env, {
    DATA_DIR: join(homedir(), '.corridor'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    SHUTDOWN_DELAY: 'off',
  })
  return serveDemo({ ...terminal, env, print: terminal.say }, ({ origin, key }) => {
    const bridged = bridge({ url: origin + PATH, key, ...ends(terminal) })
    const end = () => process.kill(process.pid, 'SIGTERM')
    bridged.catch((error: Error) => terminal.say(error.message)).finally(end)
  })
}

const ends = ({ print, say }: Terminal) => ({ input: Bun.stdin.stream(), answer: print, say })
