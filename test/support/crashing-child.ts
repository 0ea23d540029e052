import { endAtBugs } from '~/command/serving.ts'
import { createLog } from '~/log.ts'

/**
 * A process that writes this many lines (argument 1) and then fails, at once or later (argument 2).
 */
const log = createLog({ level: 'info', format: 'json' })
endAtBugs(log, { abandon: async () => log.info({}, 'let go of') })
for (let i = 1; i <= Number(process.argv[2]); i++) log.info({ i }, 'a line before the end')
setTimeout(() => {}, 60_000)
if (process.argv[3] === 'later') void Promise.reject(new Error('uncaught'))
else throw new Error('uncaught')
