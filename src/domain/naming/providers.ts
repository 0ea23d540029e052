import type { Provider } from '~/domain/provider.ts'
import { Names } from './names.ts'

/** Short names that mean one institution alone to those who send money to Africa. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'bank-al-maghrib': ['BAM'],
  'bank-of-tanzania': ['BoT'],
  'central-bank-of-kenya': ['CBK'],
  'central-bank-of-nigeria': ['CBN'],
  'central-bank-of-tunisia': ['BCT', 'Banque centrale de Tunisie'],
  'first-national-bank-of-south-africa': ['FNB'],
  'gt-bank': ['Guaranty Trust Bank'],
  'mtn-mobile-money': ['MoMo', 'MTN MoMo'],
  'reserve-bank-of-malawi': ['RBM'],
  'royal-bank-of-canada': ['RBC'],
  'south-african-reserve-bank': ['SARB'],
  'toronto-dominion-bank': ['TD Bank'],
  'western-union': ['WU'],
  wise: ['TransferWise'],
}

export const providerNames = (providers: readonly Pick<Provider, 'id' | 'name'>[]): Names =>
  new Names(providers.map(({ id, name }) => ({ id, names: [name, ...(ALSO[id] ?? [])] })))
