/**
 * The page by which a host that has MCP Apps shows a result: bars, numbers and ages. It sends no
 * requests itself; the host passes it the result.
 *
 * https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export const cardResource = {
  uri: 'ui://corridor/card.html',
  name: 'card',
  title: 'A result as bars',
  description: 'How convert and rank_costs look in hosts that show MCP Apps. Reading it is free.',
  mimeType: 'text/html;profile=mcp-app',
}

export const cardText = (): Promise<string> =>
  Bun.file(new URL('./card.html', import.meta.url)).text()
