import { lstat, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { jsonOf, type Line, lengthOf } from '../../base/agent/line.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { Backlog } from './backlog.ts'
import { Budget } from './budget.ts'
import { lastUuids } from './conversation-end.ts'
import { ConversationFile } from './conversation-file.ts'
import type { ConversationHead } from './conversation-shape.ts'
import { beginsBefore, cutConversation, cutLog } from './cut-transcript.ts'
import {
  archivedRecord,
  continuedRecord,
  endRecord,
  isReadable,
  lineRecords,
  lostRecord,
  newSessionRecord,
  promptRecord,
  type TranscriptEnd,
} from './log-record.ts'
import { type OpenFile, openPrivate, readEnd, writeAt } from './private-file.ts'

/** The session of a transcript. `agentName`: the name of the answering team, for people. */
export interface TranscriptSession extends ConversationHead {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

interface TranscriptTurn {
  /** The message as the asker wrote it; null for a turn that the CLI began on its own. */
  readonly prompt: string | null
  /** Whether the conversation has earlier turns. */
  readonly resumed: boolean
}

/** Problems that a person should know about; the conversation continues. */
export type TranscriptTrouble =
  /**
   * A file cannot be written; reported for the first failure only, until writing works again. Lines wait in memory
   * while there is room.
   */
  | { readonly kind: 'unwritable'; readonly path: string; readonly error: unknown }
  /** The disk is too slow: lines are left out of the file, which marks the gap. */
  | { readonly kind: 'behind'; readonly path: string }
  /** A file named `conversation.json` was not a conversation, and has been renamed to `path`. */
  | { readonly kind: 'set_aside'; readonly path: string }

interface TranscriptFilesOptions {
  /** `$IRIS_HOME/output_streams`. */
  readonly directory: string
  readonly clock: Clock
  readonly onTrouble: (trouble: TranscriptTrouble) => void
  /** The most bytes that wait in memory for the disk, for all sessions together. Default 64 MiB. */
  readonly maxWaitingBytes?: number
}

/** Which part of a session is kept when older messages are deleted. */
export interface KeptPart {
  /** Milliseconds since the epoch. Anything older is deleted. */
  readonly before: number
  /** The uuid of the first delivery of the first turn that is kept; undefined if no turn is kept. */
  readonly firstDelivery: string | undefined
  readonly isKept: (turnId: string) => boolean
}

interface SessionBacklogs {
  readonly conversation: Backlog
  readonly log: Backlog
}

const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Transcripts for people, `stream.log` and `conversation.json` in `<directory>/<Claude Code's session id>/`. No turn
 * waits for them, and none of their failures reaches a turn.
 */
export class TranscriptFiles {
  readonly #options: TranscriptFilesOptions
  readonly #budget: Budget
  readonly #sessions = new Map<string, SessionBacklogs>()
  /** By path: the work on a file that is being written or cut. Work on the same file is never concurrent. */
  readonly #busy = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(options: TranscriptFilesOptions) {
    this.#options = options
    this.#budget = new Budget(options.maxWaitingBytes ?? 64 * 1024 * 1024)
  }

  /** Begins the transcript of a turn. Throws if the session id is not a UUID, because it becomes part of a path. */
  begin(session: TranscriptSession, turn: TranscriptTurn): TurnTranscript {
    if (!sessionIdPattern.test(session.sessionId)) throw new Error(`not a session id: ${session.sessionId}`)
    return new TurnTranscript(this.#options.clock, () => this.#backlogs(session), session, turn)
  }

  /**
   * Like `begin`, for a turn whose beginning was written by an earlier Iris. Does not repeat lines that the file
   * already has.
   */
  async continueRun(session: TranscriptSession): Promise<TurnTranscript> {
    const known = await lastUuids(this.conversationOf(session.sessionId))
    return new TurnTranscript(
      this.#options.clock,
      () => this.#backlogs(session),
      session,
      { prompt: null, resumed: true },
      known,
    )
  }

  /** Records in `stream.log` that the session is archived. */
  archived(session: TranscriptSession, why: string): void {
    const at = this.#options.clock.now()
    const render = (): string => archivedRecord(why, at)
    this.#backlogs(session)?.log.add({ bytes: why.length + 256, at, isExpendable: false, render })
  }

  /** Path of the `conversation.json` with every line of the session. Throws if the session id is not a UUID. */
  conversationOf(sessionId: string): string {
    if (!sessionIdPattern.test(sessionId)) throw new Error(`not a session id: ${sessionId}`)
    return join(this.#options.directory, sessionId, 'conversation.json')
  }

  /** The directory of the session's answers that are too long for the store. Throws if the session id is not a UUID. */
  answersOf(sessionId: string): string {
    return join(dirname(this.conversationOf(sessionId)), 'answers')
  }

  /**
   * Deletes the transcripts of a session to which nothing writes any more. Resolves to their directory, if it existed.
   */
  async remove(sessionId: string): Promise<string | undefined> {
    const waiting = this.#sessions.get(sessionId)
    await Promise.all([waiting?.conversation.close(), waiting?.log.close()])
    this.#sessions.delete(sessionId)
    const path = join(this.#options.directory, sessionId)
    return rm(path, { recursive: true }).then(
      () => path,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      },
    )
  }

  /**
   * Deletes what was said before the first turn that is kept. Does nothing unless `stream.log` begins before `before`.
   * Rejects with errors of the file system, and if the session id is not a UUID.
   */
  async cut(sessionId: string, { before, firstDelivery, isKept }: KeptPart): Promise<void> {
    const conversation = this.conversationOf(sessionId)
    const directory = dirname(conversation)
    const log = join(directory, 'stream.log')
    // An agent without isolation may have put a link to another directory there.
    const isOwn = await lstat(directory).then(
      (facts) => facts.isDirectory(),
      () => false,
    )
    if (!isOwn || !(await beginsBefore(log, before))) return
    await this.#alone(conversation, () => cutConversation(conversation, firstDelivery))
    await deleteAnswers(this.answersOf(sessionId), before, isKept)
    // The log is cut last, because its beginning shows whether there is something to cut.
    await this.#alone(log, () => cutLog(log, before))
  }

  /** Writes the waiting lines as far as the disk takes them. Lines that are added after that are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true
    const backlogs = [...this.#sessions.values()].flatMap(({ conversation, log }) => [conversation, log])
    await Promise.all(backlogs.map((backlog) => backlog.close()))
  }

  /** The backlogs of a session; they exist only while lines wait. */
  #backlogs(session: TranscriptSession): SessionBacklogs | undefined {
    if (this.#isClosed) return undefined
    const known = this.#sessions.get(session.sessionId)
    if (known !== undefined) return known
    const made = this.#makeBacklogs(session)
    this.#sessions.set(session.sessionId, made)
    return made
  }

  #makeBacklogs(session: TranscriptSession): SessionBacklogs {
    const { clock, directory, onTrouble } = this.#options
    const common = (path: string) => ({
      clock,
      budget: this.#budget,
      onFailed: (error: unknown) => onTrouble({ kind: 'unwritable', path, error }),
      onBehind: () => onTrouble({ kind: 'behind', path }),
      onIdle: () => {
        if (made.conversation.isIdle && made.log.isIdle) this.#sessions.delete(session.sessionId)
      },
    })
    const logPath = join(directory, session.sessionId, 'stream.log')
    const path = this.conversationOf(session.sessionId)
    const onSetAside = (aside: string): void => onTrouble({ kind: 'set_aside', path: aside })
    const file = new ConversationFile({ path, head: session, createdAt: session.createdAt, onSetAside })
    const made: SessionBacklogs = {
      conversation: new Backlog({
        ...common(path),
        write: (texts, at) => this.#alone(path, () => file.append(texts, at)),
        lostText: (lines) => JSON.stringify({ type: 'iris_lost_lines', lines }),
      }),
      log: new Backlog({
        ...common(logPath),
        write: (texts) => this.#alone(logPath, () => appendRecords(logPath, texts.join(''))),
        lostText: lostRecord,
      }),
    }
    return made
  }

  /** Runs `work` when no other work on the file is in progress. */
  #alone(path: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#busy.get(path) ?? Promise.resolve()).then(work)
    const over = done
      .catch(() => {})
      .then(() => {
        if (this.#busy.get(path) === over) this.#busy.delete(path)
      })
    this.#busy.set(path, over)
    return done
  }
}

/** Writes one turn to the transcripts of its session. */
export class TurnTranscript {
  readonly #clock: Clock
  readonly #backlogs: () => SessionBacklogs | undefined
  readonly #known: ReadonlySet<string>
  /** Names of the tools by tool use id. */
  readonly #tools = new Map<string, string>()

  constructor(
    clock: Clock,
    backlogs: () => SessionBacklogs | undefined,
    session: TranscriptSession,
    { prompt, resumed }: TranscriptTurn,
    known: ReadonlySet<string> = new Set(),
  ) {
    this.#known = known
    this.#clock = clock
    this.#backlogs = backlogs
    this.#record(0, (at) => (resumed ? continuedRecord(session, at) : newSessionRecord(session, at)))
    if (prompt !== null) this.#record(prompt.length, (at) => promptRecord(prompt, at))
  }

  /** Adds a line of the CLI, which must not change any more: it is rendered later. */
  line(line: Line): void {
    if (this.#known.has(String(line['uuid']))) return
    const bytes = lengthOf(line)
    this.#backlogs()?.conversation.add({
      bytes,
      at: this.#clock.now(),
      isExpendable: line.type === 'stream_event',
      render: () => jsonOf(line),
    })
    if (isReadable(line)) this.#record(bytes, (at) => lineRecords(line, at, this.#tools))
  }

  end(end: TranscriptEnd): void {
    this.#record(end.detail?.length ?? 0, (at) => endRecord(end, at))
  }

  #record(bytes: number, render: (at: number) => string): void {
    const at = this.#clock.now()
    this.#backlogs()?.log.add({ bytes: bytes + 256, at, isExpendable: false, render: () => render(at) })
  }
}

/** Appends records that end with an empty line to a log, which may end within a record. */
async function appendRecords(path: string, records: string, open: OpenFile = openPrivate): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const end = (await readEnd(file, size, 2)).toString('latin1')
    const gap = size === 0 || end === '\n\n' ? '' : end.endsWith('\n') ? '\n' : '\n\n'
    await writeAt(file, gap + records, size).catch(async (error: unknown) => {
      await file.truncate(size).catch(() => {})
      throw error
    })
  } finally {
    await file.close()
  }
}

/** Deletes the files of long answers that were written before that time and whose turn is not kept. */
async function deleteAnswers(directory: string, before: number, isKept: (turnId: string) => boolean): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names) {
    const turnId = name.replace(/(?:-everything)?\.md$/, '')
    const path = join(directory, name)
    if (!isKept(turnId) && (await lstat(path)).mtimeMs < before) await rm(path)
  }
}
