import { quickAnswer } from './cli/quick-answer.ts'

const argv = process.argv.slice(2)
const answer = quickAnswer(argv)
if (answer !== undefined) process.stdout.write(`${answer}\n`)
else {
  const { runCli } = await import('./cli/run.ts')
  // Loaded only by who needs the daemon's code: the other commands would wait for it in vain.
  const exitCode = await runCli(argv, process.env, {
    startDaemon: async (options) => (await import('./daemon/daemon.ts')).startDaemon(options),
    diagnose: async (installation) => (await import('./daemon/diagnose.ts')).diagnose(installation),
  })
  process.exit(exitCode)
}
