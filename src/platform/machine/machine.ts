import type { IsolationView, LinkView } from '../../features/teams/contract.ts'
import type { Child, Command, Isolation } from './child.ts'
import type { IsolationMeans } from './isolation-means.ts'

/**
 * The machine where a team lives, and everything Iris may do there. Agents may forge anything that they can write, so
 * every result is bounded and checked. No file stays open between two calls, so that the same interface works over ssh.
 */
export interface Machine {
  /** Starts a program. Rejects if the program cannot be started at all (ENOENT, EACCES, a missing directory). */
  start(command: Command): Promise<Child>
  /**
   * Takes over the program that was already serving this session before Iris started, and that was given this message
   * then. Reads its output from that message on. Undefined if no program there serves the session. Rejects while the
   * machine is unreachable.
   */
  takeUp(session: string, message: string): Promise<TakenUp | undefined>
  /**
   * The absolute path of the program at that path, or of the first program with that name in a PATH; undefined if there
   * is none that can be run.
   */
  findExecutable(name: string, path: string): Promise<string | undefined>
  /** The version that a program prints for `--version` ("2.1.330"); undefined if it prints none. */
  programVersion(executable: string, options?: VersionOptions): Promise<string | undefined>
  /** The environment of programs there. An agent gets only the variables that are allowed by name. */
  environment(): Promise<Readonly<Record<string, string | undefined>>>
  readonly project: ProjectFiles
  /** Claude Code's directory there, in which its agents write. */
  readonly claude: FileTree
  readonly processes: Processes
  readonly isolation: TeamIsolation
}

/** A program that an earlier Iris started. `startId` is in its tag. */
export interface TakenUp {
  readonly child: Child
  readonly startId: string
}

/** For a team, the program runs in the team's isolation, because agents may be able to replace it. */
export interface VersionOptions {
  /** Called only if the program has to be run to find out its version. */
  readonly isolation?: () => Promise<Isolation | undefined>
  /** The process tag for a sweep, in case the program leaves something running. */
  readonly tag?: string
}

/** One computer, which all teams that live on it share. */
export interface System extends Pick<Machine, 'start' | 'findExecutable' | 'programVersion' | 'processes'> {
  /** The ways of isolation that work on this computer. Each is tried once. */
  isolationMeans(): Promise<IsolationMeans>
}

/** The processes on one computer. A process id has no meaning on another. */
export interface Processes {
  /** Whether the process is alive and is the one that started at `start`, not a later one with the same id. */
  lives(pid: number, start: string | undefined): Promise<boolean>
  /** Whether the process has this tag in its environment, or a tag that begins with it and a dot. */
  isTagged(pid: number, tag: string): Promise<boolean>
  /**
   * Bytes of memory of a process and its descendants. Undefined if the process is gone, or if its memory cannot be
   * measured.
   */
  residentBytes(pid: number): Promise<number | undefined>
  /**
   * The command lines of the programs that a process has started and that are still running; empty if that cannot be
   * seen. A program with the word `own` in its command line counts as the process itself.
   */
  programsBelow(pid: number, own: string): Promise<readonly string[]>
  /**
   * Ends all processes with this tag: SIGTERM, then SIGKILL after `graceMs`. When none is left, resolves with the
   * number of these processes.
   */
  sweep(tag: string, graceMs: number): Promise<number>
}

/** The facts on which the isolation of a team's program depends. */
export interface Isolated {
  readonly executable: string
  readonly env: Readonly<Record<string, string>>
  /** Absent if the program has no lasting conversation. */
  readonly conversation?: Conversation
}

export interface Conversation {
  readonly sessionId: string
  /** The path of its transcript; undefined if there is none yet. */
  readonly transcript: string | undefined
}

/** The isolation of a team's programs from their machine. */
export interface TeamIsolation {
  /** The team's isolation, and whether it is in effect for this program. */
  of(program: Isolated): Promise<IsolationView>
  /** How the program must be started. Throws `sandbox_unavailable` and `isolation_failed`. */
  for(program: Isolated): Promise<Isolation | undefined>
}

/** A team's project, read inside the isolation of its agents and with no more rights than they have. */
export interface ProjectFiles {
  /** Whether the project's directory exists. */
  exists(): Promise<boolean>
  /**
   * The directory to which the team's path currently leads, whatever the configuration says; a different directory has
   * a different identity. Undefined if there is no directory, or if it is on another machine, where Iris looks for it
   * only when it starts a process.
   */
  identity(): Promise<string | undefined>
  /** That directory with every link resolved; undefined if there is no directory. */
  realPath(): Promise<string | undefined>
  /** The text file of that name below the project's directory. Throws MachineError. */
  readText(name: string, options: ReadOptions): Promise<FoundText>
  /** A whole file of the project. `name` is below the project's directory or absolute. Throws MachineError. */
  readBytes(name: string, mostBytes: number): Promise<FoundBytes>
  /**
   * When any of these last changed, milliseconds since the epoch. `names` are files and directories, below the
   * project's directory or absolute. Throws MachineError.
   */
  lastChange(names: readonly string[]): Promise<number>
  /**
   * The uncommitted changes in the project's directory. No program that the repository names runs with Iris's rights.
   * Throws MachineError.
   */
  gitDiff(mostBytes: number): Promise<FoundDiff>
  /**
   * The commit that is checked out, and the current state of these files. `names` are below the project's directory, or
   * absolute. Throws MachineError.
   */
  fileStates(names: readonly string[]): Promise<FileStates>
  /**
   * The latest commit after the commit `since` that changed the file below the project's directory. Undefined if there
   * is no such commit, or if HEAD does not descend from `since`, as after a rebase or on another branch. Throws
   * MachineError.
   */
  lastCommit(name: string, since: string): Promise<Commit | undefined>
  /**
   * Writes a whole text file below the project's directory, or nothing. `was` is the text that the file must currently
   * have; undefined means that the file must not exist. Throws MachineError.
   */
  writeText(name: string, text: string, was: string | undefined): Promise<Written>
}

export type Written =
  | { readonly kind: 'written' }
  /** The file's content differs from `was`. */
  | { readonly kind: 'changed' }
  /** `problem` completes the sentence "<name> is not written: …". */
  | { readonly kind: 'unusable'; readonly problem: string }

export interface FileStates {
  /** The id of the commit. Undefined if there is no repository, or if nothing has been committed. */
  readonly head: string | undefined
  /** In the order of the names; undefined for a name that is not a readable file of the project. */
  readonly files: readonly (FileState | undefined)[]
}

export interface FileState {
  /** A path below the project's directory, with links resolved. */
  readonly name: string
  /** Equal for equal contents. */
  readonly hash: string
}

export interface Commit {
  readonly id: string
  /** The text in the commit; anyone may have written it. */
  readonly author: string
}

export interface ReadOptions {
  readonly mostBytes: number
  /** Whether to cut a text that is too long, instead of refusing it. */
  readonly cut?: boolean
  /**
   * Whether the file may also be outside the project, as far as its agents can read. For files that Claude Code reads
   * too, and that Iris shows to nobody.
   */
  readonly anywhere?: boolean
}

export type FoundText =
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'absent' }
  /** `problem` completes the sentence "<name> is not used: …". */
  | { readonly kind: 'unusable'; readonly problem: string }

export type FoundBytes =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | Extract<FoundText, { kind: 'absent' | 'unusable' }>

export type FoundDiff =
  | { readonly kind: 'diff'; readonly text: string; readonly isCut: boolean }
  /** `problem` completes the sentence "There is no git diff: …". */
  | { readonly kind: 'none'; readonly problem: string }

/**
 * A directory in which others write, and the files below it. In all methods, `names` is a path below that directory,
 * from the outermost name to the file's own. No link is followed, only plain files of the user are touched, and a file
 * is known by its identity, not by its name. Throws MachineError for a file that must not be touched, and the system's
 * errors.
 */
export interface FileTree {
  /** For people to read and for comparing trees; callers do not use it to open files. */
  readonly directory: string
  /** The path of a file for programs of that machine; absolute, or beginning with `~/`. */
  path(names: readonly string[]): string
  find(names: readonly string[]): Promise<FileFacts | undefined>
  /** The files with that name in all directories directly below `names`. Never throws. */
  findBelow(names: readonly string[], file: string): Promise<FoundBelow>
  /** At most `length` bytes from `from` on; fewer at the end of the file. */
  read(file: FileFacts, from: number, length: number): Promise<Buffer>
  /** The names in a directory, in no particular order; empty if there is no directory. */
  list(names: readonly string[]): AsyncIterable<string>
  /** Refuses a file with a second name, which may belong to anybody. */
  append(file: FileFacts, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Writes a whole file or none, and creates its directories. Unless `replace`, rejects with EEXIST if the file exists.
   */
  write(names: readonly string[], pieces: AsyncIterable<Uint8Array>, options?: { replace?: boolean }): Promise<void>
  /** Gives a file of another tree a name here, or copies it if links are impossible. An existing file is kept. */
  place(names: readonly string[], from: FileTree, file: FileFacts): Promise<void>
  /** Gives a file or a directory another name in this tree. Rejects if that name exists. */
  move(from: readonly string[], to: readonly string[]): Promise<void>
  /** Sets the time of the last change, milliseconds since the epoch. */
  touch(file: FileFacts, modifiedAt: number): Promise<void>
  remove(names: readonly string[]): Promise<void>
  /** Removes a directory and everything in it. */
  removeAll(names: readonly string[]): Promise<void>
  /** Creates the directory, and calls `onChange` for each change in it. Returns a function that ends the watch. */
  watch(names: readonly string[], onChange: (name: string) => void): Promise<() => void>
}

/** Times are milliseconds since the epoch. */
export interface FileFacts {
  readonly names: readonly string[]
  readonly size: number
  readonly modifiedAt: number
  readonly createdAt: number
  /** Distinguishes a file from every other one on its machine. */
  readonly identity: string
  /** How many names (hard links) the file has. */
  readonly links: number
}

export interface FoundBelow {
  readonly files: readonly FileFacts[]
  /** Files that exist, or may exist, but cannot be used. */
  readonly problems: readonly FileProblem[]
}

export interface FileProblem {
  /** A path below the tree, for the log. */
  readonly place: string
  /** Contains no path, because not every reader may know it. */
  readonly why: string
  /**
   * True if the system refused to read the file, and a later try may succeed. False if it is not a plain file of the
   * user.
   */
  readonly mayPass: boolean
}

/** The machine of each team. */
export interface Machines {
  of(team: string): Machine
  /** Whether the team's machine could be used when Iris last tried; undefined for a team on this machine. */
  linkOf(team: string): LinkView | undefined
}
