import type { CommandContext } from './app/cli/context.ts'
import type { DaemonCode } from './app/cli/daemon-code.ts'
import { runCli } from './app/cli/run.ts'

/** Loaded on demand; other commands don't need the daemon's code. */
const daemonCode: DaemonCode = {
  startDaemon: async (options) => (await import('./app/daemon/daemon.ts')).startDaemon(options),
  doctor: {
    diagnose: async (installation) => (await import('./app/doctor/doctor.ts')).diagnose(installation),
    fix: async (installation) => (await import('./app/doctor/doctor.ts')).fix(installation),
    problemsOf: async (installation, team) => (await import('./app/doctor/project.ts')).problemsOf(installation, team),
    probeInstalled: async (installation, signal) =>
      (await import('./app/doctor/probe-installed.ts')).probeInstalled(installation, signal),
  },
  offline: {
    logs: async (env, input) => (await import('./app/daemon/offline.ts')).logsOffline(env, input),
    audit: async (env, input) => (await import('./app/daemon/offline.ts')).auditOffline(env, input),
    verifyAudit: async (env, input) => (await import('./app/daemon/offline.ts')).verifyAuditOffline(env, input),
  },
  home: {
    left: async (env) => (await import('./app/daemon/adopt.ts')).leftIn(env),
    adopt: async (env, decision) => (await import('./app/daemon/adopt.ts')).adopt(env, decision),
    backup: async (...given) => (await import('./app/daemon/backup.ts')).backup(...given),
    restore: async (...given) => (await import('./app/daemon/restore.ts')).restore(...given),
  },
  inspectChannel: async (channel, around) =>
    (await import('./features/channels/inspect-channel.ts')).inspectChannel(channel, around),
}

/** Runs a command of `iris`; resolves with its exit code. */
export function runCommand(argv: readonly string[], context: CommandContext): Promise<number> {
  return runCli(argv, context, daemonCode)
}
