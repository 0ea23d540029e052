import { type Endpoint, TAGS } from './operation.ts'

type GuideOptions = { readonly basePath: string; readonly publicUrl: string | null }

/** Advice for all clients, whichever operation they call. */
const ADVICE = `- A success costs one unit of the account's UTC day, a failure nothing.
  \`X-RateLimit-Remaining\` says what is left; after 429 wait for \`Retry-After\` seconds.
- \`data_freshness\` is \`hourly\` (what held at \`as_of\`, the top of the hour) or \`realtime\`.
- Ask /currencies and /providers for codes and ids; do not guess them.
- For many pairs use /fetch-multi, /fetch-matrix or /fetch-many-to-one: one unit for all.
- Rates are units of target currency per unit of source currency; \`*_bps\` are basis points.
- Never compare prices of different \`rate_type\`. \`official\` and \`parallel\` cannot be dealt at.
- To tell a sender what arrives, use /convert and its \`net_converted\`, not the rate alone; with
  \`recipient_gets\` instead of \`amount\` it returns the \`send_amount\` of each provider.
- To compare what transfers cost, use \`cost\` of /convert: fee and exchange rate margin against the
  mid of the price's own day, in percent and money. Null means unknown, not free. \`vs_mid_bps\` is
  against the mid of now.
- A price is the provider's last known one. Check \`is_stale\` and \`last_updated\` before you
  name it: a stale price may no longer be available. \`best\` may be stale; \`best_current\` of
  /convert never is, and its fee is stated. \`max_age\` (90m, 24h, 7d) omits older prices.
- A \`suspect\` price is too far from the mid to be believed, and one whose \`amount_match\` is
  \`out_of_range\` is for other amounts: never recommend either. Where \`best\` is null, \`note\`
  says for which amounts prices are known.
- \`evidence\` says what stands behind a price: \`observed\`, \`derived\` (from a margin or another
  source) or \`indicative\` (advertised, not surely available). Say which.
- \`fee_stated: false\`: the fee is unknown and not in \`net_converted\`; less may arrive.
- Prices differ by country, payment method and amount. Give what you know: \`source_country\`,
  \`target_country\`, \`pay_in\`, \`pay_out\`, \`channel\` and \`delivery_max\` omit entries that
  state something else. \`unspecified\` names what an entry does not state: ask the provider.
- \`offer\` says what a price is for. With \`amount_match\` \`nearest\` it is for \`at_amount\`;
  your amount may have another price. \`offers=all\` lists all offers of each provider.
- /costs says how expensive a route between two countries is: every offer, average, median and
  the goals of the UN. /countries lists countries and pairs with offers.
- \`note\` says in a sentence why a list is empty, or that the best price is stale.
- If \`mid\` is missing, no recent one is known. Do not make one up.
- \`format=csv\` and \`ndjson\` give a flat row for each entry.
- An error has \`error\`, a sentence that says what to do, and \`code\`, a stable word.`

/** The MCP tool for each kind of request. */
const TOOLS = `- What arrives, what to send, who is best, provider against provider: \`convert\`
- Who quotes what between two currencies, and its age: \`get_rates\`
- What sending between two countries costs, by way of paying and speed: \`get_costs\`
- Cheapest, dearest, top five, who has most pairs, one route against others: \`rank_costs\`
- What a currency is worth in others: \`fetch_rates\`
- A day, the highest, the lowest, the largest move: \`get_history\`; a change: \`get_change\`
- A central bank's rate of a date, and its gap to the mid: \`get_official\`
- All prices of one provider: \`get_provider_rates\`
- What there is: \`list_corridors\`, \`list_providers\`, \`list_currencies\`
- To be notified later: \`create_alert\`, \`list_alerts\`, \`end_alert\``

/** A short guide for agents that read rather than call, in the form of https://llmstxt.org/. */
export function guideText(endpoints: readonly Endpoint[], options: GuideOptions): string {
  const origin = options.publicUrl ?? ''
  const base = `${origin}${options.basePath}`
  return `# Corridor

> Currency rates and what money transfer and exchange providers really charge, corridor by corridor
> (source to target currency), with an independent mid-market rate. JSON over HTTP.

Paths below are under \`${base}\`. Send the key in the \`X-API-Key\` header or as
\`Authorization: Bearer\`; /status needs none.

${ADVICE}

${sections(endpoints)}
## More

- [OpenAPI 3.1 document](${origin}/openapi.json): every parameter, response and error, with examples
- [Interactive reference](${origin}/docs): for people
- Tool server (MCP, streamable HTTP) at \`${origin}/mcp\`: the same data, key and quota

## Which tool for which request

${TOOLS}
`
}

function sections(endpoints: readonly Endpoint[]): string {
  const byTag = Map.groupBy(endpoints, ({ operation }) => operation.tag)
  return (Object.keys(TAGS) as (keyof typeof TAGS)[])
    .filter((tag) => byTag.has(tag))
    .map((tag) => `## ${tag}\n\n${byTag.get(tag)!.map(line).join('\n')}\n`)
    .join('\n')
}

function line({ method, path, operation }: Endpoint): string {
  const { properties, required = [] } = operation.query
  const names = Object.entries(properties).map(([name, { default: preset }]) =>
    required.includes(name) && preset === undefined ? name : `${name}?`,
  )
  const query = names.length > 0 ? ` (${names.join(', ')})` : ''
  return `- \`${method} ${path}\`${query}: ${operation.summary}`
}
