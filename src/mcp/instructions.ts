/** What a model is told of the whole server before it reads the tools. */
export const INSTRUCTIONS = [
  'Prices of moving money into, out of and across Africa: what providers quote for a corridor (an',
  'ordered pair of currencies) and an independent mid-market rate to judge them by.',
  'For an amount to send use convert, with the countries and ways of paying that are known; for',
  'how expensive a route between countries is get_costs; for the rates in one corridor get_rates;',
  'for many pairs at once fetch_rates; for the past get_history; for what there is list_corridors,',
  'list_providers and list_currencies.',
  'A rate is units of the target currency per one unit of the source. Kinds of price (rate_type)',
  'are never compared with each other; official and parallel prices cannot be executed.',
  'data_freshness says how fresh an answer is: realtime, or hourly, which is the state at as_of,',
  'the top of the current UTC hour. What is unknown is left out.',
  'Each successful tool call costs one unit of a daily quota; a failed one costs nothing and says',
  'what to change.',
].join(' ')
