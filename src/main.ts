import { quickAnswer } from './app/cli/quick-answer.ts'
import { tooOld } from './app/cli/too-old.ts'

const argv = process.argv.slice(2)
const answer = quickAnswer(argv)
const complaint = tooOld(process.versions.node)
if (answer !== undefined) process.stdout.write(`${answer}\n`)
else if (complaint !== undefined) {
  process.stderr.write(`${complaint}\n`)
  process.exitCode = 1
} else {
  const { runCli } = await import('./app/cli/run.ts')
  // Loaded only by who needs the daemon's code: the other commands would wait for it in vain.
  const exitCode = await runCli(argv, process.env, {
    startDaemon: async (options) => (await import('./app/daemon/daemon.ts')).startDaemon(options),
    doctor: {
      diagnose: async (installation) => (await import('./app/doctor/doctor.ts')).diagnose(installation),
      fix: async (installation) => (await import('./app/doctor/doctor.ts')).fix(installation),
      probeInstalled: async (installation, signal) =>
        (await import('./app/doctor/probe-installed.ts')).probeInstalled(installation, signal),
    },
    offline: {
      logs: async (env, input) => (await import('./app/daemon/offline.ts')).logsOffline(env, input),
      audit: async (env, input) => (await import('./app/daemon/offline.ts')).auditOffline(env, input),
      verifyAudit: async (env, input) => (await import('./app/daemon/offline.ts')).verifyAuditOffline(env, input),
    },
    inspectChannel: async (channel, around) =>
      (await import('./app/daemon/inspect-channel.ts')).inspectChannel(channel, around),
  })
  await written(process.stdout)
  await written(process.stderr)
  process.exit(exitCode)
}

/** `process.exit` drops what a pipe has not taken yet: a pipe holds 64 KiB. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0) resolve()
    else stream.write('', () => resolve())
  })
}
