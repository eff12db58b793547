import type { Config } from '../config/config.ts'
import type { Environment } from '../config/home.ts'
import type { Finding } from '../protocol/finding.ts'

/** A daemon in this process, as far as this command needs it. */
export interface StartedHere {
  readonly port: number
  readonly config: Config
  /** Lets what runs end for `graceMs` first; called again, with less, it waits no longer. */
  stop(graceMs?: number): Promise<void>
}

export interface StartOptions {
  readonly home: string
  readonly env: Environment
  readonly onStopAsked: () => void
}

export type StartDaemon = (options: StartOptions) => Promise<StartedHere>

export type Diagnose = (installation: {
  readonly home: string
  readonly env: Environment
  readonly servedPort: number | undefined
}) => Promise<readonly Finding[]>

/** The daemon's code, loaded only for the commands that need it; handed in by main.ts, for this folder does not know it. */
export interface DaemonCode {
  readonly startDaemon: StartDaemon
  readonly diagnose: Diagnose
}
