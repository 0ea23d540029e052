import { parseArgs } from 'node:util'
import { endTestCluster } from '../support/postgres.ts'
import { preferMemory, removeScratch } from '../support/scratch.ts'
import { Benchmark, type Played } from './benchmark.ts'
import { doorOf, modelPlayer } from './model/model.ts'
import { careful } from './player/careful.ts'
import { lazy } from './player/lazy.ts'
import { meanOf, shareOf, tableOf } from './table.ts'

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '2026' },
    show: { type: 'string', default: '10' },
  },
})

/** Goals of a run. */
const GOALS = { right: 0.95, calls: 1.3, tokens: 700, lazyWrong: 0.01 }

await preferMemory()
const benchmark = await Benchmark.start()
const questions = await benchmark.questions(Number(values.seed), Number(values.questions))
console.log(`${questions.length} questions of seed ${values.seed}`)
const failed = [
  ...goalsOf('careful', await played('careful')),
  ...goalsOf('lazy', await played('lazy')),
]
const door = doorOf(process.env)
if (door) {
  const { tools } = await benchmark.client.listTools()
  const player = modelPlayer(door, tools, benchmark.client.getInstructions() ?? '')
  console.log(`\n${door.model}:\n\n${tableOf(await benchmark.play(player, questions))}\n`)
}
await benchmark.close()
await endTestCluster()
await removeScratch()
console.log(`${questions.length * 2 - failed.length} passed, ${failed.length} failed`)
process.exit(failed.length === 0 ? 0 : 1)

async function played(name: 'careful' | 'lazy'): Promise<Played[]> {
  const all = await benchmark.play(name === 'careful' ? careful : lazy, questions)
  console.log(`\nThe ${name} player:\n\n${tableOf(all)}\n`)
  const faults = all.filter(({ verdict }) =>
    name === 'careful'
      ? verdict !== 'right' && verdict !== 'declined rightly'
      : verdict === 'wrong',
  )
  for (const { question, reply, verdict } of faults.slice(0, Number(values.show)))
    console.log(`${verdict}: ${JSON.stringify({ ...question, reply })}`)
  return all
}

function goalsOf(name: 'careful' | 'lazy', all: readonly Played[]): string[] {
  const wrong = shareOf(all, 'wrong')
  const goals =
    name === 'lazy'
      ? { [`at most ${GOALS.lazyWrong} wrong`]: wrong <= GOALS.lazyWrong }
      : {
          'none wrong': wrong === 0,
          [`${GOALS.right} right or rightly declined`]:
            shareOf(all, 'right', 'declined rightly') >= GOALS.right,
          [`${GOALS.calls} calls`]: meanOf(all, 'calls') <= GOALS.calls,
          [`${GOALS.tokens} tokens`]: meanOf(all, 'tokens') <= GOALS.tokens,
        }
  const missed = Object.keys(goals).filter((goal) => !goals[goal])
  for (const goal of missed) console.log(`missed by the ${name} player: ${goal}`)
  return missed
}
