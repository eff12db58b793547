import { runCli } from './cli/run.ts'

// Loaded only by who needs the daemon's code: the other commands would wait for it in vain.
const exitCode = await runCli(process.argv.slice(2), process.env, {
  startDaemon: async (options) => (await import('./daemon/daemon.ts')).startDaemon(options),
  diagnose: async (installation) => (await import('./daemon/diagnose.ts')).diagnose(installation),
})
process.exit(exitCode)
