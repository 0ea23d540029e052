import { afterAll, setDefaultTimeout } from 'bun:test'
import { endTestCluster } from './postgres'

setDefaultTimeout(30_000)
afterAll(endTestCluster)
