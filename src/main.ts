import { runCli } from './cli/run.ts'

// Only `start` loads the daemon's code: the other commands would wait for it in vain.
const exitCode = await runCli(process.argv.slice(2), process.env, async (options) => {
  const { startDaemon } = await import('./daemon/daemon.ts')
  return startDaemon(options)
})
process.exit(exitCode)
