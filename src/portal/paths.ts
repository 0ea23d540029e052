/** The path of each page. */
export const PATHS = {
  board: '/',
  corridors: '/corridors',
  send: '/send',
  providers: '/providers',
  embed: '/embed',
  pictures: '/pictures',
  method: '/how-we-reckon',
  reference: '/docs',
  signUp: '/sign-up',
  signIn: '/sign-in',
  signOut: '/sign-out',
  mailed: '/mailed',
  confirm: '/confirm',
  forgotten: '/forgotten',
  reset: '/reset',
  authorize: '/oauth/authorize',
  developer: '/developer',
  keys: '/developer/keys',
  revoke: '/developer/keys/revoke',
  replace: '/developer/keys/replace',
  alerts: '/developer/alerts',
  newAlert: '/developer/alerts/new',
  alert: '/developer/alert',
  changeAlert: '/developer/alert/change',
  alertStatus: '/developer/alert/status',
  testAlert: '/developer/alert/test',
  alertSecret: '/developer/alert/secret',
  deleteAlert: '/developer/alert/delete',
  endAlert: '/alerts/end',
  operator: '/operator',
  accounts: '/operator/accounts',
  account: '/operator/account',
  operatorKey: '/operator/key',
  log: '/operator/log',
  logFile: '/operator/log.csv',
} as const

/** The section of the developer area with the keys, and in it the form for a further one. */
export const KEYS_ID = 'keys-title'
export const FURTHER_KEY_ID = 'further-key'
/** The section of it with the connected applications. */
export const CONNECTIONS_ID = 'connections-title'
