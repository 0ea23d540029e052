import type { Caller } from '~/domain/account.ts'
import { type AccessDeps, keyed } from '~/http/access.ts'
import { assertJson, bodyText } from '~/http/body.ts'
import { jsonReply } from '~/http/reply.ts'
import type { Route } from '~/http/route.ts'
import { assertMayIngest } from '~/service/access.ts'
import { type WithdrawDeps, withdraw } from '~/service/recording/withdraw.ts'
import type { Operation } from '~/wire/openapi/operation.ts'
import { NoQuery } from '~/wire/parameters.ts'
import {
  readWithdrawalBody,
  WITHDRAWAL_BYTES_MAX,
  WITHDRAWAL_EXAMPLES,
  WithdrawalBody,
  WithdrawalResponse,
} from '~/wire/recording/withdrawal.ts'
import { positionHeader, RECORDING } from './recording.ts'

export type WithdrawRouteDeps = AccessDeps & Pick<WithdrawDeps, 'store'>

const operation: Operation = {
  ...RECORDING,
  id: 'withdrawRates',
  summary: 'Withdraw observations',
  description:
    'Withdraws up to 100 observations, all or none. They no longer count in live prices, ' +
    'history, series, alerts, streams or later files, and the prices before them apply again. ' +
    'Nothing is deleted: /rates/history?withdrawn=true lists them with time and reason. A ' +
    'treasury account may withdraw what it recorded, and prices of the providers that it is ' +
    'limited to, whoever recorded them; an admin account may withdraw any. Withdrawing twice has ' +
    'no effect.',
  query: NoQuery,
  body: { schema: WithdrawalBody, examples: WITHDRAWAL_EXAMPLES },
  success: { status: 200, body: WithdrawalResponse },
  errors: [...RECORDING.errors, 'unknown_observation'],
}

export const withdrawRoutes = (deps: WithdrawRouteDeps): Route[] => [
  {
    method: 'POST',
    path: '/rates/withdrawals',
    operation,
    handle: keyed(deps, async ({ request, caller }) => {
      const { position, ...done } = await withdrawn(deps, request, caller)
      return jsonReply(done, 200, positionHeader(deps, position))
    }),
  },
]

async function withdrawn(deps: WithdrawRouteDeps, request: Request, caller: Caller) {
  assertMayIngest(caller)
  assertJson(request, 'withdrawal')
  const wish = readWithdrawalBody(await bodyText(request, WITHDRAWAL_BYTES_MAX))
  const { ids, position } = await withdraw(deps, caller, wish)
  const isNew = new Set(ids)
  return {
    position,
    withdrawn: wish.ids.filter((id) => isNew.has(id)),
    already_withdrawn: wish.ids.filter((id) => !isNew.has(id)),
  }
}
