import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { loadConfig } from '~/config.ts'
import { version } from '../../package.json'
import { ROOT } from '../support/child.ts'

const MODELS = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service }

type Kind = keyof typeof MODELS
type Manifest = { kind: Kind; metadata: { name: string } } & Record<string, unknown>
type Container = {
  image: string
  args: string[]
  ports?: { name: string }[]
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } }
}

const read = async (name: string): Promise<Manifest[]> => {
  const parsed = Bun.YAML.parse(await Bun.file(join(ROOT, 'ops/kubernetes', name)).text())
  return (Array.isArray(parsed) ? parsed : [parsed]) as Manifest[]
}

const FILES = ['corridor.yaml', 'migrate.yaml']
const manifests = (await Promise.all(FILES.map(read))).flat()

const containers = manifests.flatMap((manifest) => {
  const { template } = (manifest.spec ?? {}) as { template?: { spec: { containers: Container[] } } }
  return template?.spec.containers ?? []
})

/**
 * Errors and unknown fields of a manifest by the schema of its kind. The schemas allow unknown
 * fields, but their check reads every field that they know and no other.
 */
function faultsOf(manifest: Manifest): string[] {
  const Model = MODELS[manifest.kind]
  if (!Model) return [`no schema for ${manifest.kind}`]
  const seen = new Map<string, Set<string>>()
  try {
    Model.prototype.validate.call(watched(manifest, '', seen) as never)
  } catch (error) {
    return [(error as Error).message]
  }
  return unknownMembers(manifest, '', seen)
}

/** A value that records which fields of each of its objects were read. */
function watched(value: unknown, path: string, seen: Map<string, Set<string>>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const children = Object.entries(value).map(
    ([name, child]) => [name, watched(child, `${path}/${name}`, seen)] as const,
  )
  const copy = Array.isArray(value)
    ? children.map(([, child]) => child)
    : Object.fromEntries(children)
  const read = new Set<string>()
  seen.set(path, read)
  return new Proxy(copy, {
    get(target, name, receiver) {
      read.add(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
}

function unknownMembers(value: unknown, path: string, seen: Map<string, Set<string>>): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, child]) => {
    const own = `${path}/${name}`
    return seen.get(path)!.has(name) ? unknownMembers(child, own, seen) : [`${own} is unknown`]
  })
}

describe('the manifests for Kubernetes', () => {
  test('fit the schemas of their kinds, and have no unknown field', () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODELS).sort() as Kind[])
    expect(manifests.flatMap(faultsOf)).toEqual([])
  })

  test('would fail the test with a misspelt field or a wrong type', () => {
    const [configMap, service] = manifests as [Manifest, Manifest]
    expect(faultsOf({ ...configMap, dta: {} })).toEqual(['/dta is unknown'])
    expect(faultsOf({ ...service, spec: { ports: [{ port: 'http' }] } })).not.toEqual([])
  })

  test('set what the configuration understands', () => {
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as {
      data: Record<string, string>
    }
    const known = new Set<string>()
    loadConfig(new Proxy({}, { get: (_, name) => void known.add(String(name)) }))
    expect(Object.keys(data).filter((name) => !known.has(name))).toEqual([])
    expect(() => loadConfig(data)).not.toThrow()
  })

  test('run existing commands, of this version, with probes at an open port', () => {
    expect(containers.map(({ args }) => args.join(' ')).sort()).toEqual(['migrate', 'serve'])
    for (const container of containers) {
      expect(container.image).toBe(`corridor:${version}`)
      const ports = container.ports?.map(({ name }) => name) ?? []
      for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
        const probe = container[name]
        if (!probe) continue
        expect(['/healthz', '/readyz']).toContain(probe.httpGet.path)
        expect(ports).toContain(probe.httpGet.port)
      }
    }
  })
})
