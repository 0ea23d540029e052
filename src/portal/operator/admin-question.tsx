/** @jsxImportSource preact */
import type { Account } from '~/domain/account.ts'
import type { Plan } from '~/domain/quota.ts'
import type { PageRequest } from '~/portal/member/page-request.tsx'
import { TokenForm } from '~/portal/member/token-form.tsx'
import type { Page } from '~/portal/page.tsx'
import { PATHS } from '~/portal/paths.ts'

/** The field with the address of the account whose new role was asked about and confirmed. */
export const CONFIRMED = 'confirmed'

type Props = { readonly pageRequest: PageRequest; readonly account: Account; readonly plan: Plan }

/** Asks once more, by name, before a person gets the role that can do everything. */
export const makeAdminPage = ({ pageRequest, account, plan }: Props): Page => ({
  title: `Make ${account.email} an admin`,
  path: PATHS.operator,
  body: (
    <div class="stack-tight narrow">
      <h1 class="long">Make {account.email} an admin?</h1>
      <p class="lead">
        An admin sees every account, changes its plan and role, ends its keys, records rates, and
        can make others admins. It takes effect with the next request.
      </p>
      {account.plan !== plan && (
        <p>
          The plan changes too, from {account.plan} to {plan}.
        </p>
      )}
      <TokenForm
        pageRequest={pageRequest}
        action={PATHS.account}
        send="Make them an admin"
        isDangerous
        hidden={{ id: account.id, plan, role: 'admin', [CONFIRMED]: account.email }}
      />
      <p>
        <a href={`${PATHS.account}?id=${account.id}`}>Cancel</a>
      </p>
    </div>
  ),
})
