import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { loadConfig } from '~/config.ts'
import { dependencies, version } from '../../package.json'
import { ROOT } from '../support/child.ts'
import { pageAt } from '../support/pages.ts'

type Service = {
  build?: string
  image: string
  command?: string[]
  environment: Record<string, string | null>
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
}

const read = (name: string): Promise<string> => Bun.file(join(ROOT, name)).text()
const { services } = Bun.YAML.parse(await read('compose.yaml')) as {
  services: Record<'database' | 'migrate' | 'rights' | 'corridor', Service>
}
const dockerfile = await read('Dockerfile')
const instructions = dockerfile.replaceAll('\\\n', ' ').split('\n')
const argumentsOf = (name: string): string[] =>
  instructions
    .filter((line) => line.startsWith(`${name} `))
    .map((line) => line.slice(name.length + 1))

/** Settings that the image, or compose, sets by itself. */
const SET = ['HOST', 'PORT', 'DATA_DIR', 'DATABASE_URL', 'PGPASSWORD', 'REVISION']

describe('compose.yaml', () => {
  test('passes every setting on, and names no unknown one', () => {
    const known = new Set<string>()
    loadConfig(new Proxy({}, { get: (_, name) => void known.add(String(name)) }))
    const { DATABASE_URL, PGPASSWORD, ...passed } = services.corridor.environment
    expect(Object.values(passed).filter((value) => value !== null)).toEqual([])
    expect(Object.keys(passed).sort()).toEqual(
      [...known].filter((name) => !SET.includes(name)).sort(),
    )
  })

  test('serves as a user without the owner’s password, once that user has its rights', () => {
    const { corridor, migrate, rights } = services
    expect(new URL(corridor.environment.DATABASE_URL!).username).toBe('corridor_service')
    expect(corridor.environment.PGPASSWORD).toContain('SERVICE_PASSWORD:?')
    expect(JSON.stringify(corridor)).not.toContain('POSTGRES_PASSWORD')
    expect(corridor.command).toBeUndefined()
    expect(migrate.command).toEqual(['migrate'])
    const done = { condition: 'service_completed_successfully' }
    expect([corridor.depends_on, rights.depends_on]).toEqual([{ rights: done }, { migrate: done }])
    expect(migrate.depends_on).toEqual({ database: { condition: 'service_healthy' } })
    const owner = services.database.environment.POSTGRES_USER
    expect(new URL(migrate.environment.DATABASE_URL!).username).toBe(owner!)
    expect(rights.environment.PGUSER).toBe(owner!)
  })

  test('gives the rights by the file that docs/operate.md names', async () => {
    expect(pageAt('docs/operate.md').text).toContain('ops/compose/service-rights.sql')
    const { command, volumes } = services.rights
    expect(volumes).toEqual(['./ops/compose:/sql:ro'])
    const files = command!.flatMap((word) => /^--file=\/sql\/(.+)$/.exec(word)?.[1] ?? [])
    expect(files).toEqual(['service-role.sql', 'service-rights.sql'])
    for (const file of files) expect(existsSync(join(ROOT, 'ops/compose', file))).toBe(true)
    expect(await read('ops/compose/service-role.sql')).toContain('ALTER ROLE corridor_service')
  })

  test('asks in docs/install.md for the passwords that it needs', () => {
    const asked = JSON.stringify(services).matchAll(/\$\{(\w+):\?/g)
    const { text } = pageAt('docs/install.md')
    for (const [, name] of asked) expect(text).toContain(`${name}=`)
  })
})

describe('Dockerfile', () => {
  test('takes its base images by name and tag, to be pinned by digest', () => {
    const images = argumentsOf('ARG').filter((line) => line.includes('_IMAGE='))
    for (const image of images)
      expect(image).toMatch(/^[A-Z]+_IMAGE=[a-z]+:[a-z0-9.-]*\d?[a-z0-9.-]+$/)
    const bases = argumentsOf('FROM').map((line) => line.split(' ')[0])
    expect(bases).toEqual(images.map((image) => `\${${image.split('=')[0]}}`))
    const { text } = pageAt('docs/install.md')
    for (const image of images) expect(text).toContain(`--build-arg ${image.split('=')[0]}=`)
  })

  test('copies files that exist, and runs as an unprivileged user', () => {
    const sources = argumentsOf('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1))
    expect(sources).toContain('src')
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(argumentsOf('USER')).toEqual(['corridor'])
    expect(argumentsOf('ENTRYPOINT')).toEqual(['["bun", "src/main.ts"]'])
  })

  test('describes its content, with the labels of the Open Container Initiative', () => {
    const labels = new Map(
      [
        ...argumentsOf('LABEL')
          .join(' ')
          .matchAll(/org\.opencontainers\.image\.(\S+?)="([^"]*)"/g),
      ].map(([, name, value]) => [name!, value!]),
    )
    expect([...labels.keys()].sort()).toEqual(
      ['base.name', 'created', 'description', 'licenses', 'revision', 'title', 'version'].sort(),
    )
    expect([labels.get('version'), labels.get('licenses')]).toEqual([version, 'MIT'])
  })

  test('leaves peers out, and src loads only its own dependencies', async () => {
    expect(argumentsOf('RUN').join()).toContain('--frozen-lockfile --production --omit=peer')
    const files = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)]
    const texts = await Promise.all(files.filter((file) => !/^src.client/.test(file)).map(read))
    const loaded = texts.flatMap((text) =>
      [
        ...text.matchAll(
          /(?:^import |from |import\(|import\.meta\.resolve\()'([^'.~\s][^'\n]*)'/gm,
        ),
      ].map(([, name]) => /^(@[^/]+\/)?[^/]+/.exec(name!)![0]),
    )
    const known = [...Object.keys(dependencies), ...builtinModules, 'bun']
    const isKnown = (name: string) => name.startsWith('node:') || known.includes(name)
    expect(loaded.length).toBeGreaterThan(50)
    expect([...new Set(loaded)].filter((name) => !isKnown(name))).toEqual([])
  })
})
