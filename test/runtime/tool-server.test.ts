import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { loadConfig } from '~/config.ts'
import { toolServerOptions } from '~/runtime/tool-server.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { addAccount, Replica } from './replica-scene.ts'

const optionsOf = (env: Record<string, string>) => toolServerOptions(loadConfig(env))

describe('toolServerOptions', () => {
  test('accept the listening address and the public address as names of the service', () => {
    expect(optionsOf({ HOST: '192.0.2.7', PUBLIC_URL: 'https://rates.example:8443/x' })).toEqual({
      allowedHosts: ['192.0.2.7', 'rates.example'],
      allowedOrigins: ['https://rates.example:8443'],
    })
    expect(optionsOf({ HOST: '2001:db8::7' }).allowedHosts).toEqual(['[2001:db8::7]'])
  })

  test('do not accept a wildcard address as a name', () => {
    for (const host of ['0.0.0.0', '::']) expect(optionsOf({ HOST: host }).allowedHosts).toEqual([])
  })

  test('add the names that the operator allows', () => {
    const options = optionsOf({
      HOST: '0.0.0.0',
      MCP_ALLOWED_HOSTS: 'a.example',
      MCP_ALLOWED_ORIGINS: 'https://b.example',
    })
    expect(options).toEqual({
      allowedHosts: ['a.example'],
      allowedOrigins: ['https://b.example'],
    })
  })
})

describe('the tool server of a service', () => {
  let database: FreshDatabase
  let replica: Replica

  beforeAll(async () => {
    database = await freshDatabase()
    replica = await Replica.start(database)
  })
  afterAll(async () => {
    await replica.service.stop()
    await database.close()
  })

  test('serves its first requests, however many come at once', async () => {
    const [key] = (await addAccount(database, {})).keys
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const init = {
      method: 'POST',
      headers: {
        'x-api-key': key!,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    }
    const ask = () => fetch(`${replica.service.origin}/mcp`, init)
    const replies = await Promise.all([ask(), ask(), ask()])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
