import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, Stage } from './fault.ts'
import { healed } from './heal.ts'
import { Readers } from './live/readers.ts'
import { Receivers } from './live/receivers.ts'
import { Story } from './live/story.ts'
import { Load } from './load.ts'
import type { Scene } from './scene.ts'
import { type Outcome, outcomeOf } from './table.ts'
import { unitsOf, usageFaults } from './usage.ts'

const WARM_SECONDS = { small: 0.2, full: 3 }
const BEFORE_SECONDS = { small: 0.6, full: 6 }
const AFTER_MS = 500

/** Plays one fault under load, waits for recovery, and compares everything with the database. */
export async function play(fault: Fault, scene: Scene, isSmall: boolean): Promise<Outcome> {
  const story = await Story.begin(scene)
  const readers = await Readers.open(scene, story)
  const receivers = await Receivers.open(scene, story)
  const load = new Load(scene, fault.rules)
  const stage = playing(scene, load, isSmall)
  const before = await unitsOf(scene)
  const retries = await scene.balancer.retries()
  scene.ledger.mark()
  scene.mayLose = 0
  load.start()
  try {
    await stage.last(WARM_SECONDS)
    load.warm()
    await stage.last(BEFORE_SECONDS)
    load.fault()
    await fault.play(stage)
    await stage.heal()
    load.healed()
    await delay(AFTER_MS)
  } catch (error) {
    stage.must(false, `it could not be played to its end: ${(error as Error).stack}`)
  }
  await Promise.all([load.stop(), receivers.calm()])
  await story.end()
  const heard = await readers.close(fault.rules)
  const received = await receivers.close(fault.rules.mayForget ? readers.gaps : [], { isSmall })
  const { mayLose, balancer } = scene
  const counts = { before, mayLose, retries: (await balancer.retries()) - retries }
  for (const reason of await usageFaults(scene, load, counts)) stage.must(false, reason)
  const account = await load.ledger.account(scene.admin.sql)
  const { healMs, notes, broken } = stage
  const { tally, stalls } = load
  const { longestMs: stallMs } = stalls
  const { name, rules } = fault
  const streamed = { heard, received, mayReset: rules.mayReset ?? false }
  return outcomeOf({ fault: name, tally, account, healMs, stallMs, notes, broken, ...streamed })
}

type Playing = Stage & Pick<Outcome, 'healMs' | 'notes' | 'broken'>

function playing(scene: Scene, load: Load, isSmall: boolean): Playing {
  const notes: Record<string, string | number> = {}
  const broken: string[] = []
  let healMs: number | null = 0
  return {
    ...{ scene, load, isSmall, notes, broken },
    get healMs() {
      return healMs
    },
    last: ({ small, full }) => delay((isSmall ? small : full) * 1000),
    async heal() {
      const tookMs = await healed(scene, load)
      healMs = tookMs === null || healMs === null ? null : Math.max(tookMs, healMs)
      return tookMs ?? Number.POSITIVE_INFINITY
    },
    must(holds, reason) {
      if (!holds) broken.push(reason)
    },
    note(what, value) {
      notes[what] = value
    },
  }
}
