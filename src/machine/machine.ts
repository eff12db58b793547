import type { Child, Command } from '../transport/transport.ts'

/**
 * The machine where a team lives, and everything Iris may do there. What an agent can write, it may have made up: all that
 * comes back is bounded, checked data, and no file is held open in between. So the same can be done over ssh.
 */
export interface Machine {
  /** Starts a program. Rejects when it cannot be started at all (ENOENT, EACCES, a missing directory). */
  start(command: Command): Promise<Child>
  readonly project: ProjectFiles
}

/** A team's project, read inside the isolation of its agents and with no more rights than they have. */
export interface ProjectFiles {
  /** The text file of that name below the project's directory. Throws MachineError. */
  readText(name: string, options: ReadOptions): Promise<FoundText>
  /** What is not committed in the project's directory. Nothing the repository names runs with rights of Iris. Throws MachineError. */
  gitDiff(mostBytes: number): Promise<FoundDiff>
}

export interface ReadOptions {
  readonly mostBytes: number
  /** What is too long is cut, not refused. */
  readonly cut?: boolean
}

export type FoundText =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'absent' }
  /** `problem` reads on behind "is not used: ". */
  | { readonly kind: 'unusable'; readonly problem: string }

export type FoundDiff =
  | { readonly kind: 'diff'; readonly text: string; readonly isCut: boolean }
  /** `problem` reads on behind "There is no git diff: ". */
  | { readonly kind: 'none'; readonly problem: string }

/** The machine of each team. */
export interface Machines {
  of(team: string): Machine
}
