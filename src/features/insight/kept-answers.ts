import type { Line } from '../../base/agent/line.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { type Clock, pause } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { findTranscript } from '../../claude/driver/transcript.ts'
import { endsWithAnswer } from '../../claude/driver/transcript-chain.ts'
import { filesUsed } from '../../kernel/turn/files-used.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Machine, Machines } from '../../platform/machine/machine.ts'
import { instructionsOf } from './instructions.ts'
import type {
  FoundAnswer,
  GivenAgain,
  KeptAnswerRow,
  KeptAnswerRows,
  KeptFile,
  SavedByAnswers,
} from './rows/kept-answers.ts'

export interface KeptAnswersParts {
  readonly rows: KeptAnswerRows
  readonly machines: Pick<Machines, 'of'>
  readonly config: () => Config
  readonly clock: Pick<Clock, 'now' | 'after' | 'machine'>
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

/** A question, with everything on which its answer depends besides files. */
export interface Question {
  readonly pair: Pair
  readonly role: string | undefined
  readonly message: string
  readonly responseSchema: unknown
  /** The answer relies neither on earlier messages of the conversation nor on the date. */
  readonly selfContained: boolean
}

interface Watched extends Pick<Question, 'selfContained'> {
  readonly key: string
  readonly askedAt: number
  readonly used: Set<string>
}

const oldestMs = 30 * 86_400_000
const maxFiles = 200
const maxWatched = 1000
/** If a project's files cannot be compared within this time, its team is asked the question again. */
const patienceMs = 5000
/**
 * The tools whose reads are fully known: the first reads one file, the second nothing. It is unknown what a command or
 * a search reads.
 */
const knownReaders: ReadonlySet<string> = new Set(['Read', 'mcp__iris__return_value'])
/**
 * How many times, and how far apart, Iris looks for the answer in the transcript, which Claude Code writes with a
 * delay.
 */
const looks = 20
const lookAgainMs = 100

/**
 * Gives an earlier answer again if the asker allows it and if nothing on which the answer relies has changed: the
 * question, the messages of the conversation, the date, the asker's rights, the settings, the commit, the files that
 * the conversation read, and the instructions. In case of doubt, the question is asked again.
 */
export class KeptAnswers {
  readonly #parts: KeptAnswersParts
  /** The watched turns, by id, while they are running. */
  readonly #watched = new Map<string, Watched>()
  /** For each conversation, the time since which its process has been running. */
  readonly #processes = new Map<string, number>()
  #work: Promise<unknown> = Promise.resolve()

  constructor(parts: KeptAnswersParts) {
    this.#parts = parts
  }

  take(event: PublishedEvent): void {
    if (event.type === 'turn-message') this.#use(event.turnId, event.message as Line)
    // The turn's answer will cover two questions.
    else if (event.type === 'turn-steered') this.#watched.delete(event.turnId)
    else if (event.type === 'turn-settled') this.#settled(event)
    // The process started before it was ready for a message.
    else if (event.type === 'process-spawned') this.#processes.set(event.sessionId, event.at - event.readyMs)
    else if (event.type === 'process-terminated') this.#processes.delete(event.sessionId)
  }

  /** The turn whose answer is still valid. Never rejects, and waits for a few seconds at most. */
  async find(question: Question): Promise<Pick<KeptAnswerRow, 'turn' | 'notedAt'> | undefined> {
    const { rows, clock, log } = this.#parts
    const { pair } = question
    const row = rows.newest(pair, this.#keyOf(question), clock.now() - oldestMs)
    if (row === undefined) return undefined
    const given = Promise.withResolvers<boolean>()
    const stop = clock.after(patienceMs, () => given.resolve(false))
    this.#holds(row, question).then(given.resolve, (error: unknown) => {
      log.info(`the files of ${pair.to} were not compared: ${String(error)}`)
      given.resolve(false)
    })
    const holds = await given.promise
    stop()
    return holds ? row : undefined
  }

  /** Records that the answer was given again. */
  give({ turn, notedAt }: Pick<KeptAnswerRow, 'turn' | 'notedAt'>, pair: Pair, sessionId: string): void {
    const { rows, clock, publish } = this.#parts
    rows.given(turn, clock.now())
    publish({ type: 'answer-kept', turnId: turn, answeredAt: notedAt, ...pair, sessionId })
  }

  /**
   * Allows this turn's answer to be reused later. Call it when the turn is accepted. A repeated call has no effect, so
   * the files that were read so far still count.
   */
  watch(turnId: string, question: Question): void {
    if (this.#watched.size >= maxWatched || this.#watched.has(turnId)) return
    const { selfContained } = question
    const key = this.#keyOf(question)
    this.#watched.set(turnId, { key, selfContained, askedAt: this.#parts.clock.now(), used: new Set() })
  }

  /** Resolves when no answer is being recorded. */
  async noted(): Promise<void> {
    await this.#work
  }

  /** How often this turn's answer was given again. */
  givenAgain(turnId: string): GivenAgain | undefined {
    const given = this.#parts.rows.of(turnId)
    return given === undefined || given.times === 0 ? undefined : given
  }

  /** How often answers were given again since `since`, and what that saved. */
  saved(since: number): SavedByAnswers {
    return this.#parts.rows.saved(since)
  }

  #keyOf({ pair, role, message, responseSchema }: Question): string {
    const { teams, roles, settings } = this.#parts.config()
    const { env, claudePath, isolation } = settings
    const rights = role === undefined ? null : (roles.get(role) ?? null)
    return sha256(
      canonicalJson({
        pair,
        role,
        rights,
        message,
        responseSchema,
        team: teams.get(pair.to),
        env,
        claudePath,
        isolation,
        model: this.#parts.rows.modelOf(pair),
      }),
    )
  }

  #use(turnId: string, line: Line): void {
    const watched = this.#watched.get(turnId)
    if (watched === undefined) return
    for (const name of filesUsed(line)) watched.used.add(name)
  }

  #settled({ turnId, outcome, reason, to, sessionId }: Extract<IrisEvent, { type: 'turn-settled' }>): void {
    const watched = this.#watched.get(turnId)
    this.#watched.delete(turnId)
    const isAnswer = outcome === 'completed' && reason === null
    if (watched === undefined || !isAnswer || watched.used.size > maxFiles) return
    const noted = this.#note({ turnId, to, sessionId }, watched, this.#processes.get(sessionId)).catch(
      (error: unknown) => this.#parts.log.info(`the answer ${turnId} is not kept: ${String(error)}`),
    )
    this.#work = Promise.all([this.#work, noted])
  }

  async #note(
    { turnId, to: team, sessionId }: { readonly turnId: string; readonly to: string; readonly sessionId: string },
    { key, askedAt, used, selfContained }: Watched,
    processSince: number | undefined,
  ): Promise<void> {
    const { rows, machines, config, clock } = this.#parts
    const directory = config().teams.get(team)?.realPath
    if (processSince === undefined || directory === undefined) return
    const tools = rows.toolsOfConversation(turnId)
    if (tools.some(({ name }) => !knownReaders.has(name)) || rows.hasOtherModel(turnId)) return
    // The model also knows what it read for earlier messages. If a name was cut, it names no file, so the answer is not
    // kept.
    for (const { name, inputShort } of tools) if (name === 'Read') used.add(inputShort)
    if (used.size > maxFiles) return
    const machine = machines.of(team)
    const states = await statesOf(machine, directory, [...used])
    if (states === undefined) return
    const { head, files, instructions } = states
    // Files outside the project, or behind a link that leads out of the project, are unknown and may change unnoticed.
    if (files.some(([name, hash]) => hash === null && used.has(name))) return
    // A file that changed after the question was asked may have been read before or after the change.
    if (used.size > 0 && (await machine.project.lastChange([...used])) >= askedAt) return
    // A process reads some instructions when it starts, and others later.
    const isNew = instructions.length > 0 && (await machine.project.lastChange(instructions)) >= processSince
    if (isNew) return
    rows.add({ turn: turnId, key, head, files, notedAt: clock.now() })
    // Until the transcript contains the answer, it cannot show that nothing was said since.
    for (let look = 0; !selfContained && look < looks; look++) {
      if (await this.#isLast(team, { sessionId, turn: turnId })) return
      await pause(clock.machine, lookAgainMs)
    }
  }

  /**
   * Whether nothing has been said in the conversation since the answer: by an asker, by a person in a terminal, or in a
   * report.
   */
  async #isLast(team: string, { turn, sessionId }: Pick<FoundAnswer, 'turn' | 'sessionId'>): Promise<boolean> {
    const { rows, machines, clock } = this.#parts
    if (rows.isToldSince(turn, clock.now())) return false
    const transcript = await findTranscript(machines.of(team).claude, sessionId)
    return transcript !== undefined && (await endsWithAnswer(transcript, rows.lastDelivery(turn)))
  }

  async #holds(row: FoundAnswer, { pair: { to: team }, selfContained }: Question): Promise<boolean> {
    const { machines, config, clock } = this.#parts
    const { head, files, notedAt } = row
    if (!selfContained && !(isSameDay(notedAt, clock.now()) && (await this.#isLast(team, row)))) return false
    const directory = config().teams.get(team)?.realPath
    const used = files.filter(([name]) => !name.startsWith(ownMark)).map(([name]) => name)
    const now = directory === undefined ? undefined : await statesOf(machines.of(team), directory, used)
    return now !== undefined && now.head === head && canonicalJson(now.files) === canonicalJson(files)
  }
}

/** Claude Code tells the model which day it is. */
function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString()
}

/** The prefix of the names of instructions. No path that an agent names begins with it. */
const ownMark = 'instructions:'

interface States {
  readonly head: string | null
  readonly files: readonly KeptFile[]
  /** The instructions that exist. */
  readonly instructions: readonly string[]
}

/** Undefined if not everything on which an answer relies is known. */
async function statesOf(machine: Machine, directory: string, used: readonly string[]): Promise<States | undefined> {
  const { head, files } = await machine.project.fileStates(used)
  const instructions = await instructionsOf(machine, directory, used)
  if (instructions === undefined) return undefined
  const inProject = used.map((name, index): KeptFile => [name, files[index]?.hash ?? null])
  const own = instructions.files.map(([name, hash]): KeptFile => [`${ownMark}${name}`, hash])
  return { head: head ?? null, files: [...inProject, ...own], instructions: instructions.present }
}
