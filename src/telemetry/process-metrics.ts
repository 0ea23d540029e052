import { descriptorsMax, openDescriptors } from './descriptors.ts'
import { type Family, gaugeOf, histogram, type Sample } from './families.ts'
import type { LoopDelay } from './loop-delay.ts'

const MICROSECONDS = 1e6

/** The version, and the commit of the source; `unknown` outside a container. */
type Build = { readonly version: string; readonly revision: string }

/** The process itself, under the names that every client library gives it. */
export const processMetrics = (loop: LoopDelay, build: Build): Family[] => [
  gaugeOf(['build_info', 'The version that runs, and the commit it was built from'], () => [
    [{ ...build, runtime: `bun ${Bun.version}` }, 1],
  ]),
  {
    name: 'process_cpu_seconds_total',
    help: 'CPU time spent',
    type: 'counter',
    read() {
      const { user, system } = process.cpuUsage()
      return [[{}, (user + system) / MICROSECONDS]]
    },
  },
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    type: 'gauge',
    read: () => [[{}, process.memoryUsage.rss()]],
  },
  {
    name: 'process_heap_bytes',
    help: 'What lives on the heap',
    type: 'gauge',
    read: () => [[{}, process.memoryUsage().heapUsed]],
  },
  {
    name: 'process_start_time_seconds',
    help: 'When the process started',
    type: 'gauge',
    read: () => [[{}, performance.timeOrigin / 1000]],
  },
  ...descriptorMetrics,
  histogram(['event_loop_delay_seconds', 'How late the event loop runs its timers'], loop.timings),
]

const descriptorMetrics: Family[] = [
  {
    name: 'process_open_fds',
    help: 'File descriptors in use',
    type: 'gauge',
    read: () => sampleOf(openDescriptors()),
  },
  {
    name: 'process_max_fds',
    help: 'File descriptors that the process may have',
    type: 'gauge',
    read: () => sampleOf(descriptorsMax()),
  },
]

const sampleOf = (value: number | null): Sample<number>[] => (value === null ? [] : [[{}, value]])
