import { openEmbedded } from '~/store/embedded/embedded.ts'

/** A process that opens DATA_DIR (argument 1) as argument 2 says; closes on input or its end. */
try {
  const embedded = await openEmbedded({
    dataDir: process.argv[2] ?? '',
    use: process.argv[3] === 'service' ? 'service' : 'command',
    say: (line) => process.stdout.write(`${JSON.stringify({ say: line })}\n`),
  })
  process.stdout.write(`${JSON.stringify({ url: embedded.url })}\n`)
  await new Promise((resolve) => process.stdin.once('data', resolve).once('end', resolve))
  await embedded.close()
  process.stdout.write(`${JSON.stringify({ closed: true })}\n`)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: (error as Error).message })}\n`)
}
process.exit(0)
