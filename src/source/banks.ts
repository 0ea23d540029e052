import { bam } from './bam.ts'
import type { Bank } from './bank.ts'
import { bceao } from './bceao.ts'
import { bct } from './bct.ts'
import { bna } from './bna.ts'
import { bnrrw } from './bnrrw.ts'
import { bob } from './bob.ts'
import { bota } from './bota.ts'
import { cbe } from './cbe.ts'
import { cbg } from './cbg.ts'
import { cbk } from './cbk.ts'
import { cbllr } from './cbllr.ts'
import { cbn } from './cbn.ts'
import { nbe } from './nbe.ts'
import { rbm } from './rbm.ts'
import { sarb } from './sarb.ts'

/** Every bank that can be asked, by the name under which it is configured. */
export const BANKS = {
  ...{ bam, bceao, bct, bna, bnrrw, bob, bota, cbe },
  ...{ cbg, cbk, cbllr, cbn, nbe, rbm, sarb },
} as const satisfies Record<string, Bank>
