import { joined } from './words.ts'

/** What people call several countries together, with the codes of these. */
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

/** The cities that people name when they mean a country. None has the name of a country. */
const CITIES: Readonly<Record<string, readonly string[]>> = {
  AE: ['Dubai', 'Abu Dhabi', 'Sharjah'],
  AO: ['Luanda'],
  BF: ['Ouagadougou'],
  BJ: ['Cotonou'],
  CD: ['Kinshasa', 'Lubumbashi', 'Goma'],
  CG: ['Brazzaville'],
  CI: ['Abidjan'],
  CM: ['Douala', 'Yaoundé'],
  DZ: ['Algiers', 'Alger'],
  EG: ['Cairo', 'Le Caire'],
  ET: ['Addis Ababa', 'Addis'],
  FR: ['Paris', 'Marseille'],
  GB: ['London', 'Londres', 'Manchester'],
  GH: ['Accra', 'Kumasi', 'Tamale'],
  GN: ['Conakry'],
  KE: ['Nairobi', 'Mombasa', 'Kisumu'],
  LR: ['Monrovia'],
  MA: ['Casablanca', 'Rabat', 'Marrakesh', 'Marrakech'],
  MG: ['Antananarivo'],
  ML: ['Bamako'],
  MW: ['Lilongwe', 'Blantyre'],
  MZ: ['Maputo', 'Beira'],
  NA: ['Windhoek'],
  NE: ['Niamey'],
  NG: ['Lagos', 'Abuja', 'Kano', 'Ibadan', 'Port Harcourt'],
  QA: ['Doha'],
  RW: ['Kigali'],
  SA: ['Riyadh', 'Jeddah'],
  SD: ['Khartoum'],
  SL: ['Freetown'],
  SN: ['Dakar'],
  SO: ['Mogadishu', 'Hargeisa'],
  TG: ['Lomé'],
  TN: ['Tunis'],
  TZ: ['Dar es Salaam', 'Dodoma', 'Arusha', 'Zanzibar'],
  UG: ['Kampala', 'Entebbe'],
  US: ['New York'],
  ZA: ['Johannesburg', 'Joburg', 'Cape Town', 'Durban', 'Pretoria'],
  ZM: ['Lusaka', 'Kitwe'],
  ZW: ['Harare', 'Bulawayo'],
}

const byCode = new Map<string, string[]>()
for (const [names, codes] of GROUPS)
  for (const code of codes.split(' ')) byCode.set(code, [...(byCode.get(code) ?? []), ...names])

/** The names that a country shares with the others of its groups: `EU`. */
export const groupNamesOf = (code: string): readonly string[] => byCode.get(code) ?? []

const groups = new Set(GROUPS.flatMap(([names]) => names.map(joined)))

/** Whether a text names several countries together, such as "the Gulf". */
export const isGroup = (text: string): boolean => groups.has(joined(text))

const cities = new Map(
  Object.entries(CITIES).flatMap(([code, names]) => names.map((name) => [joined(name), code])),
)

/** The code of the country of a city; null for any other text. */
export const countryOfCity = (text: string): string | null => cities.get(joined(text)) ?? null
