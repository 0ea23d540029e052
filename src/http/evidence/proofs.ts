import { Type } from '@sinclair/typebox'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { type AccessDeps, keyed } from '~/http/access.ts'
import type { Route } from '~/http/route.ts'
import { type LogReader, type ProofAsk, proofOfRow } from '~/service/evidence/log.ts'
import { quotaAt } from '~/service/metering.ts'
import { readQuery } from '~/wire/query.ts'
import { quotaHeaders } from '~/wire/quota.ts'

type ProofDeps = AccessDeps & { readonly evidence: LogReader }

/** The longest id of a provider in a catalogue file. */
const NAME_LENGTH_MAX = 100

const TEXT = {
  'content-type': 'text/plain; charset=utf-8',
}

const Id = (description: string, example?: number) =>
  Type.Optional(
    Type.Integer({
      description,
      minimum: 1,
      maximum: 2 ** 48 - 1,
      ...(example === undefined ? { examples: [1] } : { example }),
    }),
  )

const ProofsQuery = Type.Object({
  observation: Id('The id of an observation, as /rates/history has it.', 1),
  reference: Id('The id of a reference rate, `reference_id` of /references.'),
  withdrawal: Id('The id of a withdrawn observation: that it was withdrawn, when and why.'),
  catalogue: Type.Optional(
    Type.String({
      description:
        'The code of a currency or the id of a provider: its newest change. Or the path of a ' +
        'version of the methodology.',
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      examples: ['KES'],
    }),
  ),
})

export const proofRoutes = (deps: ProofDeps): Route[] => [
  {
    method: 'GET',
    path: '/proofs',
    operation: {
      id: 'getProof',
      tag: 'Service',
      summary: 'Proof that a row or a change is in the verifiable log',
      description:
        'A transparency log proof (https://c2sp.org/tlog-proof): the signed checkpoint, the ' +
        "entry's index, the hashes from it to the root, and the entry itself as `extra`. Anyone " +
        "can verify it offline with the log's key. Give one of the parameters.",
      errors: [
        'missing_parameter',
        'unknown_observation',
        'unknown_reference',
        'unknown_entry',
        'not_sealed',
        'database_unavailable',
      ],
      query: ProofsQuery,
      ...{ access: 'key', isMetered: false, isTiered: false },
      file: { medium: 'text/plain', description: 'A proof, as text.' },
      success: { status: 200, body: Type.Unknown() },
    },
    handle: keyed(deps, async ({ request, caller, nowMs }) => {
      const asked = provableIn(readQuery(ProofsQuery, request.url))
      const proof = await proofOfRow(deps.evidence, asked, { tier: caller.tier, nowMs })
      const quota = quotaHeaders(quotaAt(deps.metering, caller, nowMs), nowMs)
      return new Response(proof, { headers: { ...quota, ...TEXT } })
    }),
  },
]

type Asked = {
  readonly observation?: number
  readonly reference?: number
  readonly withdrawal?: number
  readonly catalogue?: string
}

function provableIn({ catalogue, ...ids }: Asked): ProofAsk {
  const rows = KINDS.flatMap((kind) => (ids[kind] === undefined ? [] : { kind, id: ids[kind] }))
  const asked: ProofAsk[] =
    catalogue === undefined ? rows : [...rows, { kind: 'catalogue', name: catalogue }]
  const [first, second] = asked
  if (second)
    throw invalidParameter({ name: second.kind, fault: `give either it or ${first!.kind}` })
  if (first) return first
  throw new ServiceError(
    'missing_parameter',
    'observation is required: its id; or reference, withdrawal or catalogue',
    { parameter: 'observation' },
  )
}

const KINDS = ['observation', 'reference', 'withdrawal'] as const
