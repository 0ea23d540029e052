import { convert } from '~/service/convert.ts'
import { presentConvert } from '~/wire/convert.ts'
import { ConvertQuery } from '~/wire/parameters.ts'
import { type AccessDeps, meteredHandler } from './access.ts'
import type { Route } from './route.ts'

export const convertRoutes = (deps: AccessDeps): Route[] => [
  {
    method: 'GET',
    path: '/convert',
    handle: meteredHandler(deps, {
      query: ConvertQuery,
      isTiered: true,
      answer: ({ query, view }) => presentConvert(convert(view, query), view.freshness),
    }),
  },
]
