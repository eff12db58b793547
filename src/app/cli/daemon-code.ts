import type { Output } from '../../adapters/client/tool-call.ts'
import type { DaemonFile } from '../../base/protocol/daemon.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { ProbeReport } from '../../base/protocol/probe.ts'
import type { SetupProblem } from '../../features/teams/contract.ts'
import type { ChannelConfig, Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

/** A daemon in this process, as `iris start` uses it. */
export interface StartedHere {
  readonly port: number
  readonly config: Config
  /** Lets turns end for `graceMs` first. A second call with less time shortens that wait. */
  stop(graceMs?: number): Promise<void>
}

export interface StartOptions {
  readonly home: string
  readonly env: Environment
  readonly onStopAsked: () => void
}

export type StartDaemon = (options: StartOptions) => Promise<StartedHere>

export interface Installation {
  readonly home: string
  readonly env: Environment
  /** The daemon of this home, if it answers. */
  readonly daemon: DaemonFile | undefined
}

/** What `iris doctor` calls; see src/app/doctor. */
export interface DoctorCode {
  readonly diagnose: (installation: Installation) => Promise<readonly Finding[]>
  readonly fix: (
    installation: Installation,
  ) => Promise<{ readonly done: readonly string[]; readonly findings: readonly Finding[] }>
  /** The settings and files of a team's project that Claude Code ignores. */
  readonly problemsOf: (installation: Installation, team: string) => Promise<readonly Pick<SetupProblem, 'text'>[]>
  readonly probeInstalled: (installation: Installation, signal: AbortSignal) => Promise<readonly ProbeReport[]>
}

type Given = Readonly<Record<string, unknown>>

/** Reads what a daemon wrote while none runs; see src/app/daemon/offline.ts. */
export interface OfflineCode {
  readonly logs: (env: Environment, input: Given) => Promise<Output<'get_logs'>>
  readonly audit: (env: Environment, input: Given) => Promise<Output<'list_audit'>>
  readonly verifyAudit: (env: Environment, input: Given) => Promise<Output<'verify_audit'>>
}

export type AdoptDecision = 'deliver' | 'cancel'

/** What a copied or restored home would do if it continued on its own; see src/app/daemon/adopt.ts. */
export interface LeftInHome {
  readonly home: string
  readonly why:
    | { readonly kind: 'copy'; readonly of: string }
    | { readonly kind: 'restored'; readonly backedUpAt: number }
  /** `begunAt`: null for a message that waited. */
  readonly messages: readonly (Pair & {
    readonly turnId: string
    readonly acceptedAt: number
    readonly begunAt: number | null
    readonly message: string
  })[]
  /** `ask` is the message that will be sent, as JSON. */
  readonly schedules: readonly { readonly scheduleId: string; readonly ask: string; readonly nextAt: number }[]
  /** Messages to be posted in chats. */
  readonly posts: number
}

interface BackedUp {
  readonly files: number
  readonly bytes: number
  /**
   * Files in the home that only a backup with tokens includes, because Iris does not know what is in them. Paths are
   * relative to the home.
   */
  readonly leftOut: readonly string[]
}

/** A home as a whole, while no daemon need run; see src/app/daemon/adopt.ts, backup.ts and restore.ts. */
export interface HomeCode {
  readonly left: (env: Environment) => Promise<LeftInHome | undefined>
  readonly adopt: (env: Environment, decision: AdoptDecision) => Promise<LeftInHome | undefined>
  readonly backup: (env: Environment, file: string, withTokens: boolean) => Promise<BackedUp>
  readonly restore: (env: Environment, file: string) => Promise<Restored>
}

interface Restored {
  readonly home: string
  readonly files: number
  readonly bytes: number
  readonly backedUpAt: number
  /** Messages, schedules and posts that had not ended. */
  readonly left: number
  /** The home of the backup. */
  readonly from: string
  /** The database that the restored config.yaml names, if that is not the restored one. */
  readonly otherStore: string | null
}

/** What a platform says about a bot; see src/features/channels/inspect-channel.ts. */
type InspectChannel = (
  channel: ChannelConfig,
  around: { readonly home: string; readonly env: Environment; readonly now: () => number },
) => Promise<{
  readonly isValid: boolean
  readonly as?: string
  readonly why?: string | undefined
  readonly missing: readonly string[]
}>

/** Code that only some commands load. main.ts passes it in, because this folder may not import it. */
export interface DaemonCode {
  readonly startDaemon: StartDaemon
  readonly doctor: DoctorCode
  readonly offline: OfflineCode
  readonly home: HomeCode
  readonly inspectChannel: InspectChannel
}
