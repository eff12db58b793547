import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/lib/clock.ts'
import { jsonOf, type Line, lengthOf } from '../driver/line.ts'
import { Backlog } from './backlog.ts'
import { Budget } from './budget.ts'
import { lastUuids } from './conversation-end.ts'
import { ConversationFile } from './conversation-file.ts'
import type { ConversationHead } from './conversation-shape.ts'
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

/** Whose conversation it is. `agentName`: who answers, for people. */
export interface TranscriptSession extends ConversationHead {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

interface TranscriptTurn {
  /** As the asker wrote it; null for a turn that the CLI began by itself. */
  readonly prompt: string | null
  /** The conversation has earlier turns. */
  readonly resumed: boolean
}

/** What a person should know; the conversation goes on. */
export type TranscriptTrouble =
  /** A file cannot be written. Told once until it can; what waits is kept as long as there is room. */
  | { readonly kind: 'unwritable'; readonly path: string; readonly error: unknown }
  /** The disk does not keep up: lines are left out of the file, where it says so. */
  | { readonly kind: 'behind'; readonly path: string }
  /** What stood in the place of a `conversation.json` was none, and is kept under this name. */
  | { readonly kind: 'set_aside'; readonly path: string }

interface TranscriptFilesOptions {
  /** `$IRIS_HOME/output_streams`. */
  readonly directory: string
  readonly clock: Clock
  readonly onTrouble: (trouble: TranscriptTrouble) => void
  /** What may wait in memory for the disk, for all sessions together. */
  readonly maxWaitingBytes?: number
}

interface SessionBacklogs {
  readonly conversation: Backlog
  readonly log: Backlog
}

const sessionIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Transcripts people can read, `<directory>/<Claude Code's session id>/`: `stream.log` and `conversation.json`. Nobody
 * waits for them and no failure of theirs reaches a turn.
 */
export class TranscriptFiles {
  readonly #options: TranscriptFilesOptions
  readonly #budget: Budget
  readonly #sessions = new Map<string, SessionBacklogs>()
  #isClosed = false

  constructor(options: TranscriptFilesOptions) {
    this.#options = options
    this.#budget = new Budget(options.maxWaitingBytes ?? 64 * 1024 * 1024)
  }

  /** Throws for a session id that is no UUID: it becomes a path. */
  begin(session: TranscriptSession, turn: TranscriptTurn): TurnTranscript {
    if (!sessionIdPattern.test(session.sessionId)) throw new Error(`not a session id: ${session.sessionId}`)
    return new TurnTranscript(this.#options.clock, () => this.#backlogs(session), session, turn)
  }

  /** As `begin`, for a turn of which a former Iris has written the beginning: what stands in the file is not written again. */
  async goOn(session: TranscriptSession): Promise<TurnTranscript> {
    const known = await lastUuids(this.conversationOf(session.sessionId))
    return new TurnTranscript(
      this.#options.clock,
      () => this.#backlogs(session),
      session,
      { prompt: null, resumed: true },
      known,
    )
  }

  /** The conversation has come to its end. */
  archived(session: TranscriptSession, why: string): void {
    const at = this.#options.clock.now()
    const render = (): string => archivedRecord(why, at)
    this.#backlogs(session)?.log.add({ bytes: why.length + 256, at, isExpendable: false, render })
  }

  /** Where every line of this conversation stands. Throws for a session id that is no UUID. */
  conversationOf(sessionId: string): string {
    if (!sessionIdPattern.test(sessionId)) throw new Error(`not a session id: ${sessionId}`)
    return join(this.#options.directory, sessionId, 'conversation.json')
  }

  /** Deletes what stands of a session that nothing writes to any more. Returns where it stood. */
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

  /** Writes what waits, as far as the disk takes it. What comes later is ignored. */
  async close(): Promise<void> {
    this.#isClosed = true
    const backlogs = [...this.#sessions.values()].flatMap(({ conversation, log }) => [conversation, log])
    await Promise.all(backlogs.map((backlog) => backlog.close()))
  }

  /** Kept only while something waits. */
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
        write: (texts, at) => file.append(texts, at),
        lostText: (lines) => JSON.stringify({ type: 'iris_lost_lines', lines }),
      }),
      log: new Backlog({
        ...common(logPath),
        write: (texts) => appendRecords(logPath, texts.join('')),
        lostText: lostRecord,
      }),
    }
    return made
  }
}

/** The part of one turn in the transcript of its session. */
export class TurnTranscript {
  readonly #clock: Clock
  readonly #backlogs: () => SessionBacklogs | undefined
  readonly #known: ReadonlySet<string>
  /** Names of the tools it used, by their ids. */
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

  /** A line of the CLI. It must not change any more: it is rendered later. */
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

/** Appends whole records, each of which ends with an empty line, to a log that may end in the middle of one. */
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
