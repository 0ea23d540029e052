import { type Language, prefixOf } from './words/language.ts'

export const PATHS = {
  board: '/',
  corridors: '/corridors',
  send: '/send',
  providers: '/providers',
  data: '/data',
  ranking: '/ranking',
  embed: '/embed',
  pictures: '/pictures',
  method: '/methodology',
  verify: '/verify',
  reference: '/docs',
  signUp: '/sign-up',
  signIn: '/sign-in',
  signOut: '/sign-out',
  secondStep: '/sign-in/second-step',
  passkeySignIn: '/sign-in/passkey',
  passkeySignInOptions: '/sign-in/passkey/options',
  mailed: '/mailed',
  confirm: '/confirm',
  forgotten: '/forgotten',
  reset: '/reset',
  confirmAddress: '/confirm-address',
  privacy: '/privacy',
  authorize: '/oauth/authorize',
  developer: '/developer',
  keys: '/developer/keys',
  revoke: '/developer/keys/revoke',
  replace: '/developer/keys/replace',
  profile: '/developer/profile',
  password: '/developer/profile/password',
  address: '/developer/profile/address',
  endSession: '/developer/profile/session',
  ownData: '/developer/profile/data.json',
  deleteAccount: '/developer/profile/delete',
  secondFactor: '/developer/second-factor',
  app: '/developer/second-factor/app',
  confirmApp: '/developer/second-factor/app/confirm',
  recoveryCodes: '/developer/second-factor/codes',
  passkey: '/developer/second-factor/passkey',
  passkeyOptions: '/developer/second-factor/passkey/options',
  removeFactor: '/developer/second-factor/remove',
  alerts: '/developer/alerts',
  newAlert: '/developer/alerts/new',
  alert: '/developer/alert',
  changeAlert: '/developer/alert/change',
  alertStatus: '/developer/alert/status',
  testAlert: '/developer/alert/test',
  alertSecret: '/developer/alert/secret',
  deleteAlert: '/developer/alert/delete',
  endAlert: '/alerts/end',
  tellMe: '/alerts/new',
  subscribe: '/alerts/subscribe',
  prices: '/developer/prices',
  pricesPreview: '/developer/prices/preview',
  recordPrices: '/developer/prices/record',
  pricesUpload: '/developer/prices/upload',
  withdrawPrices: '/developer/prices/withdraw',
  pricesTemplate: '/developer/prices/template.xlsx',
  operator: '/operator',
  accounts: '/operator/accounts',
  account: '/operator/account',
  operatorKey: '/operator/key',
  operatorProviders: '/operator/providers',
  log: '/operator/log',
  logFile: '/operator/log.csv',
  language: '/language',
} as const

/** The pages that speak every language, at an address for each; the others are in English. */
const SPOKEN: ReadonlySet<string> = new Set([
  ...[PATHS.board, PATHS.corridors, PATHS.send, PATHS.providers, PATHS.embed, PATHS.method],
  PATHS.verify,
  ...[PATHS.data, PATHS.ranking, `${PATHS.ranking}.svg`, `${PATHS.ranking}.png`],
  ...[PATHS.privacy, PATHS.signUp, PATHS.signIn, PATHS.signOut, PATHS.secondStep],
  ...[PATHS.passkeySignIn, PATHS.mailed, PATHS.confirm, PATHS.forgotten, PATHS.reset],
  ...[PATHS.confirmAddress, PATHS.alerts, PATHS.newAlert, PATHS.alert, PATHS.changeAlert],
  ...[PATHS.alertStatus, PATHS.testAlert, PATHS.alertSecret, PATHS.deleteAlert, PATHS.endAlert],
  ...[PATHS.tellMe, PATHS.subscribe, PATHS.authorize],
  ...[PATHS.developer, PATHS.keys, PATHS.revoke, PATHS.replace],
  ...[PATHS.profile, PATHS.password, PATHS.address, PATHS.endSession, PATHS.deleteAccount],
  ...[PATHS.secondFactor, PATHS.app, PATHS.confirmApp, PATHS.recoveryCodes, PATHS.passkey],
  ...[PATHS.passkeyOptions, PATHS.passkeySignInOptions, PATHS.removeFactor],
])

/** The pages below which every page speaks every language. */
const SPOKEN_BELOW = [PATHS.send, PATHS.providers, PATHS.pictures].map((path) => `${path}/`)

/** Reports whether the page at a path, which may have a query, is there in every language. */
export function isSpoken(path: string): boolean {
  const [page = ''] = path.split(/[?#]/, 1)
  return SPOKEN.has(page) || SPOKEN_BELOW.some((start) => page.startsWith(start))
}

/** The path of a page in a language, if it speaks it; else of the English page. */
export const pathIn = (language: Language, path: string): string =>
  isSpoken(path) ? prefixOf(language) + path : path

/** The section of the developer area with the keys, and in it the form for a further one. */
export const KEYS_ID = 'keys-title'
export const FURTHER_KEY_ID = 'further-key'
/** The section of it with the connected applications. */
export const CONNECTIONS_ID = 'connections-title'
