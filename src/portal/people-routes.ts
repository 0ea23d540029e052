import type { Route } from '~/http/route.ts'
import { alertRoutes } from '~/portal/alert/alert-routes.tsx'
import { type AlertEndDeps, alertEndRoutes } from './alert/end-routes.tsx'
import { type SubscribePageDeps, subscribeRoutes } from './alert/subscribe-routes.tsx'
import { type ConsentDeps, consentRoutes } from './consent/consent-routes.tsx'
import { type MachineDeps, machineRoutes } from './consent/machine-routes.ts'
import { type DeveloperDeps, developerRoutes } from './member/developer-routes.tsx'
import { entranceRoutes } from './member/entrance-routes.tsx'
import type { OperatorDeps } from './operator/admission.ts'
import { operatorRoutes } from './operator/routes.tsx'
import { pricesRoutes } from './prices/prices-routes.ts'
import type { PricesDeps } from './prices/treasurer.ts'
import { factorRoutes } from './profile/factor-routes.ts'
import { type ProfilePageDeps, profileRoutes } from './profile/profile-routes.ts'
import { secondStepRoutes } from './profile/second-step.tsx'

export type PeopleDeps = ProfilePageDeps &
  DeveloperDeps &
  PricesDeps &
  AlertEndDeps &
  SubscribePageDeps &
  OperatorDeps &
  ConsentDeps &
  MachineDeps

/** Every route for people who sign in, and for the applications that they connect. */
export const peopleRoutes = (deps: PeopleDeps): readonly Route[] => [
  ...entranceRoutes(deps),
  ...secondStepRoutes(deps),
  ...profileRoutes(deps),
  ...factorRoutes(deps),
  ...developerRoutes(deps),
  ...pricesRoutes(deps),
  ...alertRoutes(deps),
  ...alertEndRoutes(deps),
  ...subscribeRoutes(deps),
  ...operatorRoutes(deps),
  ...consentRoutes(deps),
  ...machineRoutes(deps),
]
