import type { AlertDeps } from '~/service/alert/alerts.ts'
import { createAlert } from './alert/create.ts'
import { endAlert } from './alert/end.ts'
import { listAlerts } from './alert/list.ts'
import { listCurrencies, listProviders } from './catalogue.ts'
import { getChange } from './change.ts'
import { convertAmount } from './convert.ts'
import { listCorridors } from './corridors.ts'
import { getCosts } from './costs.ts'
import { fetchRates } from './fetch.ts'
import { getHistory, type HistoryToolDeps } from './history.ts'
import { getOfficial } from './official.ts'
import { getProviderRates } from './provider-rates.ts'
import { rankCosts } from './rank.ts'
import { getRates } from './rates.ts'
import type { Tool } from './tool.ts'

/** Every tool, in the order in which a model reads them. */
export const toolsOf = (past: HistoryToolDeps, alerting: AlertDeps): Tool[] => [
  getRates,
  convertAmount,
  getCosts,
  rankCosts,
  fetchRates,
  getHistory(past),
  getChange(past),
  getOfficial(past),
  getProviderRates,
  listCorridors,
  listProviders,
  listCurrencies,
  createAlert(alerting),
  listAlerts(alerting),
  endAlert(alerting),
]
