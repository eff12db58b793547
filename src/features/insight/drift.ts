import { normalize } from 'node:path'
import type { Line } from '../../base/agent/line.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { pairKey } from '../../kernel/session/session.ts'
import { filesNamed, filesUsed } from '../../kernel/turn/files-used.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Commit, Machines } from '../../platform/machine/machine.ts'
import type { AnswerFile, AnswerFiles, DriftedFile } from '../../platform/store/answer-files.ts'

export interface DriftParts {
  readonly rows: AnswerFiles
  readonly machines: Pick<Machines, 'of'>
  readonly config: () => Config
  readonly clock: Pick<Clock, 'now' | 'machine'>
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

/** The files that a turn's tools used, and the words of its commands that may be file names. */
interface FilesOfTurn {
  readonly used: Set<string>
  readonly named: Set<string>
}

/** Whether a turn used the file. `path` is relative to the project, but the agent may have used the absolute path. */
function hasUsed({ used, named }: FilesOfTurn, path: string): boolean {
  return [...used, ...named].some((name) => normalize(name) === path || name.endsWith(`/${path}`))
}

/** The maximum number of files for one answer. */
const maxFiles = 200
/** The maximum number of answers for one team. Only the newest are compared. */
const maxAnswers = 100
const oldestMs = 30 * 86_400_000
/** The maximum number of files to compare for one team, taken from the newest answers. */
const maxCompared = 300
/** If a team is asked several times within this time, its files are compared once. */
const restMs = 1000
/** The maximum number of changed files reported with the answer to one ask. */
const maxReported = 5

/**
 * Notices when a file that an answer relied on changes. These files are the ones that the turn's tools, commands and
 * searches named. They are compared when their team gets a message and when it has answered one, without delaying the
 * message.
 */
export class Drift {
  readonly #parts: DriftParts
  /** The files of each turn, until they are recorded. */
  readonly #files = new Map<string, FilesOfTurn>()
  /** The work that is in progress for each team. */
  readonly #work = new Map<string, Promise<void>>()
  /** Teams that are waiting to be compared. */
  readonly #waiting = new Set<string>()
  /** When the files of each team were last compared. */
  readonly #comparedAt = new Map<string, number>()
  /** For each team, the function that ends the wait for the next comparison. */
  readonly #resting = new Map<string, () => void>()
  /** How often changed files were found for each team. */
  readonly #found = new Map<string, number>()
  /** For each pair, the count in `#found` when the asker last knew all changes. */
  readonly #reported = new Map<string, number>()
  #isClosed = false

  constructor(parts: DriftParts) {
    this.#parts = parts
  }

  /** For callers that only read. */
  get rows(): Pick<AnswerFiles, 'list' | 'ofTurns'> {
    return this.#parts.rows
  }

  take(event: PublishedEvent): void {
    if (event.type === 'turn-message') this.#use(event.turnId, event.message as Line)
    else if (event.type === 'turn-settled') this.#settled(event)
    else if (event.type === 'turn-accepted') this.#accepted(event.to)
  }

  /**
   * The files that have changed since the pair's earlier answers. The asker gets each change once. `turnId`: the turn
   * whose answer reports the change. Files that this turn has read itself are left out, because the asker already has
   * their current state.
   */
  report(pair: Pair, turnId: string): readonly DriftedFile[] {
    const { rows } = this.#parts
    const [key, count] = [pairKey(pair), this.#found.get(pair.to) ?? 0]
    // For most turns nothing new was found, so the store is not queried.
    if (!this.#isOn || this.#reported.get(key) === count) return []
    const own = this.#files.get(turnId)
    const found = rows.unreported(pair, maxReported)
    const news = found.filter(({ path }) => own === undefined || !hasUsed(own, path))
    if (news.length > 0) rows.report(news)
    if (found.length < maxReported) this.#reported.set(key, count)
    return news
  }

  /** Compares these teams' files now. Never rejects. If a project cannot be read, its state stays as it was. */
  async compare(teams: Iterable<string>): Promise<void> {
    await Promise.all([...teams].map((team) => this.#compareSoon(team)))
  }

  /** Resolves when no comparison is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#resting.values()) stop()
    await Promise.all(this.#work.values())
  }

  get #isOn(): boolean {
    return this.#parts.config().insight.drift
  }

  #use(turnId: string, line: Line): void {
    const [used, named] = [filesUsed(line), filesNamed(line)]
    if ((used.length === 0 && named.length === 0) || !this.#isOn) return
    const files = this.#files.get(turnId) ?? { used: new Set(), named: new Set() }
    this.#files.set(turnId, files)
    for (const name of used) if (files.used.size < maxFiles) files.used.add(name)
    for (const name of named) if (files.named.size < maxFiles) files.named.add(name)
  }

  #settled({ turnId, outcome, to }: Extract<IrisEvent, { type: 'turn-settled' }>): void {
    const files = this.#files.get(turnId)
    if (files === undefined) return
    if (outcome !== 'completed') return void this.#files.delete(turnId)
    const names = new Set([...files.used, ...files.named])
    const noted = this.#then(to, () => this.#note(turnId, to, [...names].slice(0, maxFiles)))
    void noted.then(() => this.#files.delete(turnId))
    void this.#compareSoon(to)
  }

  #accepted(team: string): void {
    if (this.#resting.has(team)) return
    const clock = this.#parts.clock.machine
    const wait = (this.#comparedAt.get(team) ?? Number.NEGATIVE_INFINITY) + restMs - clock.elapsed()
    if (wait <= 0) return void this.#compareSoon(team)
    const stop = clock.after(wait, () => {
      this.#resting.delete(team)
      void this.#compareSoon(team)
    })
    this.#resting.set(team, stop)
  }

  async #note(turnId: string, team: string, names: readonly string[]): Promise<void> {
    const { rows, machines, clock } = this.#parts
    const { head, files } = await machines.of(team).project.fileStates(names)
    const found = files.filter((file) => file !== undefined)
    if (found.length > 0) rows.note(turnId, head ?? null, clock.now(), found)
  }

  #compareSoon(team: string): Promise<void> {
    if (this.#waiting.has(team)) return this.#work.get(team)!
    this.#waiting.add(team)
    return this.#then(team, async () => {
      this.#waiting.delete(team)
      await this.#compare(team)
    })
  }

  async #compare(team: string): Promise<void> {
    const { rows, machines, clock } = this.#parts
    this.#comparedAt.set(team, clock.machine.elapsed())
    const noted = rows.ofTeam(team, clock.now() - oldestMs, maxAnswers)
    if (noted.length === 0) return
    const { project } = machines.of(team)
    const paths = [...new Set(noted.map(({ path }) => path))].slice(0, maxCompared)
    const { files } = await project.fileStates(paths)
    const hashes = new Map(paths.map((path, index) => [path, files[index]?.hash]))
    const commits = new Map<string, Promise<Commit | undefined>>()
    const commitOf = ({ path, head }: AnswerFile): Promise<Commit | undefined> => {
      const key = `${head} ${path}`
      const asked = commits.get(key) ?? (head === null ? Promise.resolve(undefined) : project.lastCommit(path, head))
      commits.set(key, asked)
      return asked
    }
    const differing = noted.filter(
      ({ path, hash, changedAt }) => hashes.has(path) && (hashes.get(path) !== hash) !== (changedAt !== null),
    )
    if (differing.length === 0) return
    const found: (readonly [AnswerFile, Commit | undefined])[] = []
    for (const file of differing) found.push([file, file.changedAt === null ? await commitOf(file) : undefined])
    // The same time for all changes, and not before an earlier report, because this time decides which changes were
    // reported.
    const at = clock.now()
    const changes = found.map(([file, commit]) => {
      const change = { at, commit: commit?.id ?? null, author: commit?.author ?? null }
      return { ...file, change: file.changedAt === null ? change : null }
    })
    rows.change(changes)
    this.#found.set(team, (this.#found.get(team) ?? 0) + 1)
    this.#parts.publish({ type: 'answers-drifted', team, turns: new Set(changes.map(({ turn }) => turn)).size })
  }

  /** Runs one task after another for each team. */
  #then(team: string, work: () => Promise<void>): Promise<void> {
    const { config, log } = this.#parts
    const after = (this.#work.get(team) ?? Promise.resolve()).then(async () => {
      if (this.#isClosed || !this.#isOn || !config().teams.has(team)) return
      await work()
    })
    const safe: Promise<void> = after
      .catch((error: unknown) => log.info(`the files of ${team} were not compared: ${String(error)}`))
      .then(() => {
        if (this.#work.get(team) === safe) this.#work.delete(team)
      })
    this.#work.set(team, safe)
    return safe
  }
}
