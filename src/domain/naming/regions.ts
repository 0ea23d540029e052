import { getCountryData, type TCountryCode } from 'countries-list'
import { COUNTRIES } from '~/domain/offer/country.ts'
import { joined } from './words.ts'

const GROUPS: readonly (readonly [names: readonly string[], codes: string])[] = [
  [
    ['Gulf', 'Gulf states', 'Gulf countries', 'GCC', 'Golfe', 'Golfo', 'pays du Golfe'],
    'AE BH KW OM QA SA',
  ],
  [
    ['EU', 'European Union', 'UE', 'Union européenne', 'União Europeia', 'Umoja wa Ulaya'],
    'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE',
  ],
  [
    ['Eurozone', 'euro area', 'zone euro', 'zona do euro'],
    'AT BE BG HR CY EE FI FR DE GR IE IT LV LT LU MT NL PT SK SI ES',
  ],
  [
    ['Francophone Africa', 'French-speaking Africa', 'Afrique francophone', 'África francófona'],
    'BJ BF BI CM CF TD KM CG CD CI DJ GQ GA GN MG ML NE RW SN TG',
  ],
  [
    ['Lusophone Africa', 'Portuguese-speaking Africa', 'Afrique lusophone', 'PALOP'],
    'AO CV GW MZ ST',
  ],
  [['WAEMU', 'UEMOA'], 'BJ BF CI GW ML NE SN TG'],
  [['CEMAC'], 'CM CF TD CG GQ GA'],
  [['East African Community', 'EAC'], 'BI CD KE RW SO SS TZ UG'],
]

/** The cities besides capitals that people name when they mean a country. */
const CITIES: Readonly<Record<string, readonly string[]>> = {
  AE: ['Dubai', 'Sharjah'],
  BF: ['Bobo-Dioulasso'],
  BI: ['Bujumbura'],
  BJ: ['Cotonou'],
  CD: ['Lubumbashi', 'Goma', 'Bukavu'],
  CG: ['Pointe-Noire'],
  CI: ['Abidjan', 'Bouaké'],
  CM: ['Douala'],
  DZ: ['Alger', 'Oran'],
  EG: ['Le Caire', 'Alexandria'],
  ET: ['Addis'],
  FR: ['Marseille', 'Lyon'],
  GB: ['Londres', 'Manchester', 'Birmingham'],
  GH: ['Kumasi', 'Tamale', 'Tema'],
  GQ: ['Bata'],
  KE: ['Mombasa', 'Kisumu', 'Eldoret'],
  MA: ['Casablanca', 'Marrakesh', 'Marrakech'],
  MW: ['Blantyre'],
  MZ: ['Beira'],
  NG: ['Lagos', 'Kano', 'Ibadan', 'Port Harcourt', 'Benin City', 'Enugu', 'Kaduna'],
  SA: ['Jeddah'],
  SD: ['Omdurman'],
  SN: ['Touba'],
  SO: ['Hargeisa'],
  TN: ['Sfax'],
  TZ: ['Dar es Salaam', 'Arusha', 'Mwanza', 'Zanzibar'],
  UG: ['Entebbe'],
  US: ['New York', 'Washington'],
  ZA: ['Johannesburg', 'Joburg', 'Cape Town', 'Durban'],
  ZM: ['Kitwe', 'Ndola'],
  ZW: ['Bulawayo'],
}

const byCode = new Map<string, string[]>()
for (const [names, codes] of GROUPS)
  for (const code of codes.split(' ')) byCode.set(code, [...(byCode.get(code) ?? []), ...names])

/** The names that a country shares with the others of its groups: `EU`. */
export const groupNamesOf = (code: string): readonly string[] => byCode.get(code) ?? []

const groups = new Set(GROUPS.flatMap(([names]) => names.map(joined)))

/** Reports whether a string names several countries together, such as "the Gulf". */
export const isGroup = (text: string): boolean => groups.has(joined(text))

/** Capitals that have the name of a country or of another's capital, which mean no city. */
const AMBIGUOUS: ReadonlySet<string> = new Set('DJ GI JM LU MC NF SG ST VA'.split(' '))

/** The cities that people name when they mean a country; none has the name of a country. */
export const citiesOf = (code: string): readonly string[] => {
  const { capital } = getCountryData(code as TCountryCode)
  return [...(capital && !AMBIGUOUS.has(code) ? [capital] : []), ...(CITIES[code] ?? [])]
}

const cities = new Map(
  [...COUNTRIES.keys()].flatMap((code) => citiesOf(code).map((name) => [joined(name), code])),
)

/** The code of the country of a city; null for any other string. */
export const countryOfCity = (text: string): string | null => cities.get(joined(text)) ?? null
