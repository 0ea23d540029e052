/** Official sites, only where there is no doubt about them. */
export const WEBSITES: Readonly<Record<string, string>> = {
  'abc-bank': 'https://www.abcthebank.com',
  'abn-amro-bank': 'https://www.abnamro.nl',
  absa: 'https://www.absa.co.za',
  'ace-money-transfer': 'https://acemoneytransfer.com',
  'al-rajhi-bank': 'https://www.alrajhibank.com.sa',
  'arab-bank': 'https://www.arabbank.com',
  'attijariwafa-bank': 'https://www.attijariwafabank.com',
  'banca-intesa-sanpaolo': 'https://www.intesasanpaolo.com',
  'bank-albilad': 'https://www.bankalbilad.com',
  'commonwealth-bank': 'https://www.commbank.com.au',
  dahabshiil: 'https://www.dahabshiil.com',
  ecobank: 'https://www.ecobank.com',
  'first-national-bank-of-south-africa': 'https://www.fnb.co.za',
  'kcb-bank': 'https://www.kcbgroup.com',
  'mama-money': 'https://www.mamamoney.co.za',
  moneygram: 'https://www.moneygram.com',
  mukuru: 'https://www.mukuru.com',
  nedbank: 'https://www.nedbank.co.za',
  'nmb-national-microfinance-bank': 'https://www.nmbbank.co.tz',
  paysend: 'https://paysend.com',
  qnb: 'https://www.qnb.com',
  rabobank: 'https://www.rabobank.nl',
  remitly: 'https://www.remitly.com',
  ria: 'https://www.riamoneytransfer.com',
  'rocket-remit': 'https://www.rocketremit.com',
  'royal-bank-of-canada': 'https://www.rbcroyalbank.com',
  scotiabank: 'https://www.scotiabank.com',
  sendwave: 'https://www.sendwave.com',
  skrill: 'https://www.skrill.com',
  'st-george-bank': 'https://www.stgeorge.com.au',
  'standard-bank': 'https://www.standardbank.co.za',
  'taptap-send': 'https://www.taptapsend.com',
  'toronto-dominion-bank': 'https://www.td.com',
  transfergo: 'https://www.transfergo.com',
  'unicredit-banca': 'https://www.unicredit.it',
  'united-bank-for-africa-uba': 'https://www.ubagroup.com',
  wave: 'https://www.wave.com',
  'western-union': 'https://www.westernunion.com',
  wise: 'https://wise.com',
  worldremit: 'https://www.worldremit.com',
  xoom: 'https://www.xoom.com',
}

/**
 * Our reading of the name for those whom the quarters do not type. The rule is theirs: a bank is a
 * bank; one that resells another's service is what the other is; companies on the internet and
 * mobile money are fintech; all others that send money, exchange houses included, are imto.
 */
const TYPES_READ: Readonly<Record<string, readonly string[]>> = {
  commercial_bank: [
    ...['abc-bank', 'abn-amro-bank', 'al-rayan-bank', 'arab-bank', 'banca-intesa-sanpaolo'],
    ...['bank-albilad', 'bank-of-africa-senegal', 'banque-islamique-du-senegal', 'chaabi-bank'],
    ...['citibank', 'commonwealth-bank', 'development-bank-of-kenya', 'ecobank', 'gt-bank'],
    ...['la-caixa', 'qnb', 'rabobank', 'royal-bank-of-canada', 'scotiabank', 'st-george-bank'],
    ...['sunu-bicis', 'toronto-dominion-bank'],
  ],
  fintech_psp: [
    ...['banque-populaire-via-wise', 'ecocash-remit', 'moov-africa', 'pangea', 'rocket-remit'],
    ...['transfer-galaxy', 'wave'],
  ],
  imto: [
    ...['absa-via-western-union', 'abu-skeikha-exchange', 'al-aman-office-for-exchange'],
    ...['al-ansari', 'al-dar-exchange', 'al-fardan-exchange', 'al-mulla-exchange'],
    ...['al-hindi-and-al-sadat-office-for-exchange', 'al-muzaini-exchange'],
    ...['al-raya-office-for-exchange', 'al-salam-exchange', 'al-saudi-office-for-exchange'],
    ...['alaweneh-exchange', 'all-alami-exchange', 'amal-express', 'aman-exchange'],
    ...['bahrain-exchange-company', 'europhil', 'exact-change', 'hamza-office-for-exchange'],
    ...['iftin-express', 'kaah-express', 'lulu-money', 'money-exchange-italia'],
    ...['musharbash-exchange', 'postbank-via-western-union', 'tawakal-express', 'telemoney'],
    ...['unity-link', 'wall-st-exchange'],
  ],
}

/** The type that was read from a provider's name; null where the quarters should have it. */
export const typeReadOf = (id: string): string | null =>
  Object.keys(TYPES_READ).find((type) => TYPES_READ[type]!.includes(id)) ?? null
