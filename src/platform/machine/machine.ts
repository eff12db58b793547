import type { IsolationView, LinkView } from '../../base/protocol/operations/teams.ts'
import type { Child, Command, Isolation } from './child.ts'
import type { IsolationMeans } from './isolation-means.ts'

/**
 * The machine where a team lives, and everything Iris may do there. What an agent can write, it may have made up: all that
 * comes back is bounded, checked data, and no file is held open in between. So the same can be done over ssh.
 */
export interface Machine {
  /** Starts a program. Rejects when it cannot be started at all (ENOENT, EACCES, a missing directory). */
  start(command: Command): Promise<Child>
  /**
   * The program that leads this conversation since before this Iris began, and was given this message then: what it says is read
   * from that message on. Undefined: nothing leads this conversation there. Rejects while the machine cannot be reached.
   */
  takeUp(session: string, message: string): Promise<TakenUp | undefined>
  /** The program at that path, or the first of that name in a PATH; absolute. Undefined: there is none that can be run. */
  findExecutable(name: string, path: string): Promise<string | undefined>
  /** What a program says to `--version` ("2.1.330"); undefined when it does not say. */
  programVersion(executable: string, options?: VersionOptions): Promise<string | undefined>
  /** What a program has in its environment there, of which an agent is given only what is allowed by name. */
  environment(): Promise<Readonly<Record<string, string | undefined>>>
  readonly project: ProjectFiles
  /** Claude Code's directory there, in which its agents write. */
  readonly claude: FileTree
  readonly processes: Processes
  readonly isolation: TeamIsolation
}

/** A program that a former Iris has started. `startId` is in its tag. */
export interface TakenUp {
  readonly child: Child
  readonly startId: string
}

/** Agents may be able to replace the program: for a team it runs in that team's isolation. */
export interface VersionOptions {
  /** Called only when the program must be asked. */
  readonly isolation?: () => Promise<Isolation | undefined>
  /** For the sweep, should it leave something running. */
  readonly tag?: string
}

/** One computer, as all teams that live on it share it. */
export interface System extends Pick<Machine, 'start' | 'findExecutable' | 'programVersion' | 'processes'> {
  /** What the computer can keep out of a program's sight. Found out once, by doing it. */
  isolationMeans(): Promise<IsolationMeans>
}

/** What runs on one computer: a process id means nothing on another one. */
export interface Processes {
  /** Whether the process lives, and is the one that started at `start`, not a later one with the same id. */
  lives(pid: number, start: string | undefined): Promise<boolean>
  /** Whether a process with this tag started it, or it has the tag itself. */
  isTagged(pid: number, tag: string): Promise<boolean>
  /** Bytes of memory that a process and its descendants hold. Undefined: it is gone, or this cannot be measured there. */
  residentBytes(pid: number): Promise<number | undefined>
  /** Ends all processes with this tag: SIGTERM, and SIGKILL after `graceMs`. Resolves with their number when none is left. */
  sweep(tag: string, graceMs: number): Promise<number>
}

/** A program that is to be started for a team, as far as it matters what it must see. */
export interface Isolated {
  readonly executable: string
  readonly env: Readonly<Record<string, string>>
  /** Absent: it has none that lasts. */
  readonly conversation?: Conversation
}

export interface Conversation {
  readonly sessionId: string
  /** Where it is on disk already. */
  readonly transcript: string | undefined
}

/** What a team's programs do not see of their machine. */
export interface TeamIsolation {
  /** Which isolation the team has, and whether it holds for this program. */
  of(program: Isolated): Promise<IsolationView>
  /** How the program must be started. Throws `sandbox_unavailable` and `isolation_failed`. */
  for(program: Isolated): Promise<Isolation | undefined>
}

/** A team's project, read inside the isolation of its agents and with no more rights than they have. */
export interface ProjectFiles {
  /** Whether the project's directory is there. */
  exists(): Promise<boolean>
  /** The text file of that name below the project's directory. Throws MachineError. */
  readText(name: string, options: ReadOptions): Promise<FoundText>
  /**
   * When any of these changed last, milliseconds since the epoch: files and directories, by names below the project's directory
   * or absolute. Throws MachineError.
   */
  lastChange(names: readonly string[]): Promise<number>
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

/**
 * A directory in which others write, and what is below it: `names` lead there, the last one names a file. No link is followed
 * on the way or at its end, only plain files of the user are touched, and a file is known by its identity, not by its name.
 * Throws MachineError for what is there and must not be touched, and what the system says.
 */
export interface FileTree {
  /** For people to read, and to compare; nothing is opened by it. */
  readonly directory: string
  find(names: readonly string[]): Promise<FileFacts | undefined>
  /** The files of that name in every directory right below `names`. Never throws. */
  findBelow(names: readonly string[], file: string): Promise<FoundBelow>
  /** So many bytes, or fewer where it ends. */
  read(file: FileFacts, from: number, length: number): Promise<Buffer>
  /** What is in a directory, in no order; nothing where there is none. */
  list(names: readonly string[]): AsyncIterable<string>
  /** A file with a second name is refused: that may be anybody's. */
  append(file: FileFacts, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /** All at once or not at all, with what is missing of its directories. Without `replace` an existing file stays. */
  write(names: readonly string[], pieces: AsyncIterable<Uint8Array>, options?: { replace?: boolean }): Promise<void>
  /** Another name for a file of another tree, or a copy where links are not possible. An existing file stays. */
  place(names: readonly string[], from: FileTree, file: FileFacts): Promise<void>
  /** Milliseconds since the epoch. */
  touch(file: FileFacts, modifiedAt: number): Promise<void>
  remove(names: readonly string[]): Promise<void>
  /** With all that is in it. */
  removeAll(names: readonly string[]): Promise<void>
  /** Makes the directory, and calls for each change in it until what is returned is called. */
  watch(names: readonly string[], onChange: (name: string) => void): Promise<() => void>
}

/** Times are milliseconds since the epoch. */
export interface FileFacts {
  readonly names: readonly string[]
  readonly size: number
  readonly modifiedAt: number
  readonly createdAt: number
  /** Tells a file from every other one on its machine. */
  readonly identity: string
  /** How many names it has. */
  readonly links: number
}

export interface FoundBelow {
  readonly files: readonly FileFacts[]
  /** What is there, or may be there, and cannot be used. */
  readonly problems: readonly FileProblem[]
}

export interface FileProblem {
  /** Below the tree, for the log. */
  readonly place: string
  /** Without a path: who may read it need not know that. */
  readonly why: string
  /** The system refuses to read it, and may do so later. Else it is no file of the user's that could be read. */
  readonly mayPass: boolean
}

/** The machine of each team. */
export interface Machines {
  of(team: string): Machine
  /** Whether its machine could be used when Iris last tried; undefined for a team on this machine. */
  linkOf(team: string): LinkView | undefined
}
