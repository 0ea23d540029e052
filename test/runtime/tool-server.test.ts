import { describe, expect, test } from 'bun:test'
import { loadConfig } from '~/config.ts'
import { toolServerOptions } from '~/runtime/tool-server.ts'

const optionsOf = (env: Record<string, string>) => toolServerOptions(loadConfig(env))

describe('toolServerOptions', () => {
  test('know the service by what it listens on and by what people are shown', () => {
    expect(optionsOf({ HOST: '192.0.2.7', PUBLIC_URL: 'https://rates.example:8443/x' })).toEqual({
      allowedHosts: ['192.0.2.7', 'rates.example'],
      allowedOrigins: ['https://rates.example:8443'],
      sessionsMax: 1000,
    })
    expect(optionsOf({ HOST: '2001:db8::7' }).allowedHosts).toEqual(['[2001:db8::7]'])
  })

  test('take no wildcard address for a name', () => {
    for (const host of ['0.0.0.0', '::']) expect(optionsOf({ HOST: host }).allowedHosts).toEqual([])
  })

  test('add what the operator allows', () => {
    const options = optionsOf({
      HOST: '0.0.0.0',
      MCP_ALLOWED_HOSTS: 'a.example',
      MCP_ALLOWED_ORIGINS: 'https://b.example',
      MCP_SESSIONS_MAX: '5',
    })
    expect(options).toEqual({
      allowedHosts: ['a.example'],
      allowedOrigins: ['https://b.example'],
      sessionsMax: 5,
    })
  })
})
