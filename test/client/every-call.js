import { Corridor, CorridorError } from 'corridor/client'

/**
 * Calls every operation of a service, as a program does that has nothing but the packed client, and
 * prints a value of each answer that its type knows.
 */
const [, , url = '', key = ''] = process.argv
const corridor = new Corridor({ url, key })
const usdKes = { from: 'USD', to: 'KES' }
const again = { provider_id: 'retail-a', ...usdKes, rate: 129.4 }

const alert = await corridor.createAlert({
  corridor: 'USD/KES',
  when: { field: 'best', op: 'above', value: 140 },
  to: { webhook: 'https://example.com/corridor' },
})
const { id } = alert

/** @type {Record<string, unknown>} */
const values = {
  getRates: (await corridor.getRates(usdKes)).providers[0]?.spread_bps,
  convertAmount: (await corridor.convertAmount({ ...usdKes, amount: 200 })).best?.net_converted,
  getProviderRates: (await corridor.getProviderRates({ provider: 'retail-a' })).provider.rate_type,
  fetchOne: (await corridor.fetchOne(usdKes)).provider_best?.provider_id,
  fetchMulti: (await corridor.fetchMulti({ from: 'USD', to: ['KES', 'NGN'] })).results.NGN?.mid,
  fetchMatrix: (await corridor.fetchMatrix({ from: ['USD', 'GBP'], to: ['KES', 'NGN'] })).results
    .GBP?.KES?.mid,
  fetchManyToOne: (await corridor.fetchManyToOne({ from: ['USD', 'GBP'], to: 'KES' })).results.GBP
    ?.mid,
  getHistory: (await corridor.getHistory({ ...usdKes, period: '7d', order: 'desc' })).has_more,
  getTimeSeries: (await corridor.getTimeSeries({ ...usdKes, interval: 'P1D', period: '7d' }))
    .data[0]?.samples,
  getOfficial: (await corridor.getOfficial({ currency: 'KES', date: '2026-03-04' })).date,
  getReferences: (await corridor.getReferences({ currency: 'KES' })).feeds.length,
  getHistorical: (await corridor.getHistorical({ ...usdKes, date: '2026-03-04' })).date,
  listFiles: (await corridor.listFiles()).files[0]?.name,
  getMonthFile: (await corridor.getMonthFile({ month: '2026-02' })).headers.get('content-type'),
  getDayFile: (await corridor.getDayFile({ date: '2026-03-04' })).headers.get('content-type'),
  getProof: (await corridor.getProof({ observation: 1 })).headers.get('content-type'),
  getChange: (await corridor.getChange({ ...usdKes, period: '30d' })).end.at,
  getCosts: (await corridor.getCosts({ source_country: 'GB', target_country: 'KE', amount: 200 }))
    .count,
  listCountries: (await corridor.listCountries()).countries[0]?.code,
  listCurrencies: (await corridor.listCurrencies()).currencies[0]?.type,
  listCorridors: (await corridor.listCorridors()).corridors[0]?.best_rate,
  listProviders: (await corridor.listProviders()).providers[0]?.rate_type,
  recordRates: (
    await corridor.recordRates({ provider_id: 'retail-a', ...usdKes, rate: 129.5, fee: null })
  ).inserted,
  recordRatesBulk: (await corridor.recordRatesBulk({ dry_run: 'true' }, [again])).would_insert,
  withdrawRates: (
    await corridor.withdrawRates({
      observations: (await corridor.recordRates(again)).ids ?? [],
      reason: 'a mistake',
    })
  ).withdrawn.length,
  createAlert: alert.secret,
  listAlerts: (await corridor.listAlerts()).alerts[0]?.when.field,
  getAlert: (await corridor.getAlert({ id })).status,
  changeAlert: (await corridor.changeAlert({ id }, { name: 'a good day' })).name,
  testAlert: (await corridor.testAlert({ id })).kind,
  rotateAlertSecret: (await corridor.rotateAlertSecret({ id })).secret,
  listAlertDeliveries: (await corridor.listAlertDeliveries({ id })).deliveries[0]?.kind,
  deleteAlert: (await corridor.deleteAlert({ id })).corridor,
  createStreamToken: (await corridor.createStreamToken()).token,
  getUsage: (await corridor.getUsage()).keys_today[0]?.requests,
  getStatus: (await corridor.getStatus()).mid_feed.source,
}

for await (const event of corridor.stream(['USD/KES'])) {
  if (event.type === 'hello') values.stream = event.data.tier
  break
}

for await (const page of corridor.getHistoryPages({ ...usdKes, limit: 1 }))
  values.getHistoryPages = page.count

try {
  await corridor.getRates({ from: 'USD', to: 'XXX' })
} catch (error) {
  if (error instanceof CorridorError && error.details?.code === 'unsupported_currency')
    values.error = error.details.supported_currencies.length
}

process.stdout.write(JSON.stringify(values))
