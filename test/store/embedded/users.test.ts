import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import {
  cleanUp,
  clientOf,
  endProcesses,
  endServer,
  joinAs,
  launch,
  newDataDir,
  preparedDataDir,
  serverPid,
} from '../../support/embedded-process.ts'
import { TEST_MS_MAX } from '../../support/until.ts'

/** A data directory with a database that each test leaves stopped. */
let dataDir: string

setDefaultTimeout(TEST_MS_MAX)
beforeAll(async () => {
  dataDir = await preparedDataDir()
})
afterEach(endProcesses, TEST_MS_MAX)
afterAll(cleanUp, TEST_MS_MAX)

const quiet = () => {}

describe('two services on one DATA_DIR', () => {
  test('the second is refused with the directory and the pid of the first', async () => {
    const first = await joinAs(dataDir, 'service')
    const second = await joinAs(dataDir, 'service')
    expect(second.error).toContain(`another corridor service (process ${first.pid})`)
    expect(second.error).toContain(dataDir)
    expect(await clientOf(first.url)`SELECT 1 AS one`).toHaveLength(1)
    await first.close()
    const third = await joinAs(dataDir, 'service')
    expect(third.error).toBe('')
    await third.close()
  })

  test('exactly one of four started at the same time wins', async () => {
    const newDir = await newDataDir()
    const services = await Promise.all([1, 2, 3, 4].map(() => joinAs(newDir, 'service')))
    const winners = services.filter(({ error }) => error === '')
    expect(winners).toHaveLength(1)
    for (const { error } of services)
      if (error) expect(error).toContain(`process ${winners[0]?.pid}`)
    await winners[0]?.close()
  })

  test('a second one in the same process is refused too', async () => {
    const first = await openEmbedded({ dataDir, use: 'service', say: quiet, durable: false })
    await expect(openEmbedded({ dataDir, use: 'service', say: quiet })).rejects.toThrow('another')
    await first.close()
  })
})

describe('commands on a DATA_DIR', () => {
  test('alongside a service use its server and leave it running', async () => {
    const service = await joinAs(dataDir, 'service')
    const pid = await serverPid(dataDir)
    const command = await joinAs(dataDir, 'command')
    expect(command.url).toBe(service.url)
    await command.close()
    expect(await serverPid(dataDir)).toBe(pid)
    await service.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('start the server and stop it at the end when alone', async () => {
    const command = await joinAs(dataDir, 'command')
    expect(await serverPid(dataDir)).not.toBeNull()
    await command.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('share one server when they run at the same time, and the last of them stops it', async () => {
    const [one, two] = await Promise.all([joinAs(dataDir, 'command'), joinAs(dataDir, 'command')])
    expect([one.error, two.error, one.url]).toEqual(['', '', two.url])
    await one.close()
    expect(await clientOf(two.url)`SELECT 1 AS one`).toHaveLength(1)
    await two.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('do not keep the last one from stopping the server when they are killed', async () => {
    const killed = launch(dataDir, 'command')
    await killed.joined
    const command = await joinAs(dataDir, 'command')
    await killed.kill()
    await command.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('have their server taken over by a service that starts meanwhile', async () => {
    const command = await joinAs(dataDir, 'command')
    const service = await joinAs(dataDir, 'service')
    expect(service.url).toBe(command.url)
    await command.close()
    expect(await clientOf(service.url)`SELECT 1 AS one`).toHaveLength(1)
    await service.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('outlive a service alongside them', async () => {
    const service = await joinAs(dataDir, 'service')
    const command = await joinAs(dataDir, 'command')
    await service.close()
    expect(await clientOf(command.url)`SELECT 1 AS one`).toHaveLength(1)
    await command.close()
    expect(await serverPid(dataDir)).toBeNull()
  })

  test('get a working server when they join while the last user shuts it down', async () => {
    const visit = async () => {
      const embedded = await openEmbedded({ dataDir, use: 'command', say: quiet, durable: false })
      const rows = await clientOf(embedded.url)`SELECT 1 AS one`
      await embedded.close()
      return rows.length
    }
    const visits = async () => [await visit(), await visit(), await visit(), await visit()]
    const all = await Promise.all([visits(), visits(), visits()])
    expect(all.flat()).toEqual(Array(12).fill(1))
    expect(await serverPid(dataDir)).toBeNull()
  })
})

describe('a database in use from another container', () => {
  test('is not started a second time, and the command says where to run', async () => {
    const service = launch(dataDir, 'service')
    await service.joined
    await endServer(dataDir, 'SIGKILL')
    await writeFile(join(dataDir, 'postgres', 'place'), 'pid:[1]')
    const command = await joinAs(dataDir, 'command')
    expect(command.error).toMatch(/used by a corridor in another container: run the command in/)
    await service.kill()
    const alone = await joinAs(dataDir, 'command')
    expect(alone.error).toBe('')
    await alone.close()
  })
})

describe('Ctrl-C at the terminal', () => {
  test('does not reach the server, which the service stops itself', async () => {
    const embedded = await openEmbedded({ dataDir, use: 'service', say: quiet, durable: false })
    const sql = clientOf(embedded.url)
    const [row] = await sql`SELECT pg_backend_pid() AS pid`
    const group = async (pid: number) =>
      (await Bun.file(`/proc/${pid}/stat`).text()).split(') ')[1]?.split(' ')[3]
    expect(await group(Number(row?.pid))).not.toBe(await group(process.pid))
    await embedded.close()
  })
})

describe('revive', () => {
  test('restarts a killed server on the same port', async () => {
    const embedded = await openEmbedded({ dataDir, use: 'service', say: quiet, durable: false })
    const { url } = embedded
    await endServer(dataDir, 'SIGQUIT')
    await embedded.revive()
    expect(embedded.url).toBe(url)
    expect(await clientOf(url)`SELECT 1 AS one`).toHaveLength(1)
    await embedded.close()
    expect(await serverPid(dataDir)).toBeNull()
  })
})
