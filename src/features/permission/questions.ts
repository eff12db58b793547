import type { PermissionAnswer, PermissionQuestion } from '../../base/agent/control-handler.ts'
import { timesFrom } from '../../base/lib/clock.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import { Subject } from '../../base/lib/subject.ts'
import { IrisError, toIrisError } from '../../base/protocol/error.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { type Decision, lastingAnswer } from './checked-decision.ts'
import type { Answered, AnswerStatus, Asked, Asker, QuestionsParts } from './question.ts'
import { askingOf, questionView } from './question-view.ts'
import { answerIn, wasAnswered } from './recorded-answer.ts'
import { deniedByPerson, refusal, whyOver } from './refusal.ts'
import { remember } from './remember.ts'
import type { PermissionFilter, PermissionRow, PermissionState } from './rows/permissions.ts'

type OfferedTo = (permission: Asked['permission'], mode: Asked['mode']) => boolean

interface Open {
  readonly row: PermissionRow
  /** The time now, never before `askedAt`: see `timesFrom`. */
  readonly now: () => number
  settle(answer: PermissionAnswer): void
  readonly cancelTimer: () => void
}

/**
 * Questions about whether a tool may run. Each one is stored before anybody sees it. Silence, an error and the end of
 * the process count as denials. Each is decided once, and its decision is used once.
 */
export class Questions {
  readonly #parts: QuestionsParts
  readonly #open = new Map<string, Open>()
  readonly #asked = new Subject<Asked>()
  readonly #offeredTo: OfferedTo[] = []
  /** Emits each question as soon as it can be answered. */
  readonly asked$ = this.#asked.asObservable()

  constructor(parts: QuestionsParts) {
    this.#parts = parts
  }

  /**
   * From now on, offers each new question to `takes`, which returns whether it shows the question to someone who may
   * answer.
   */
  offerTo(takes: OfferedTo): void {
    this.#offeredTo.push(takes)
  }

  /** Offers a question. Returns whether any taker shows it. */
  offer({ permission, mode }: Asked): boolean {
    return this.#offeredTo.some((takes) => takes(permission, mode))
  }

  /** Waits for an answer; never rejects. `signal` aborts when the CLI withdraws the question or its process ends. */
  async ask(
    asker: Asker,
    mode: Asked['mode'],
    question: PermissionQuestion,
    signal: AbortSignal,
    isRepeated = false,
  ): Promise<PermissionAnswer> {
    const { config, log, publish } = this.#parts
    const { permissionTimeout } = config().settings
    const team = asker.session.to
    const over = asker.turn ? AbortSignal.any([signal, asker.turn.cancelled]) : signal
    const deny = (why: string): PermissionAnswer => ({
      behavior: 'deny',
      message: refusal(team, question.toolName, why),
    })
    if (over.aborted) return deny(whyOver(signal, asker))
    const answer = Promise.withResolvers<PermissionAnswer>()
    try {
      const asked = isRepeated ? this.#parts.rows.ofToolUse(asker.processStart, question.toolUseId) : undefined
      if (asked !== undefined && asked.state !== 'pending') return answerIn(asked)
      const row = asked ?? this.#commit(asker, question, permissionTimeout)
      const cancelTimer = this.#await(row, answer.resolve)
      const onOver = (): void => this.#end(row, 'ended', whyOver(signal, asker))
      over.addEventListener('abort', onOver)
      void answer.promise.then(() => {
        cancelTimer()
        over.removeEventListener('abort', onOver)
      })
      const permission = this.#view(row)
      publish({ type: 'permission:request', permission })
      this.#asked.next({ permission, mode })
    } catch (error) {
      log.error(`a question could not be asked: ${String(error)}`, { team, tool: question.toolName })
      answer.resolve(deny('Iris could not record the question, so nobody can be asked'))
    }
    return answer.promise
  }

  /** Throws `unknown_permission`, and `invalid_input` for a decision that `lastingAnswer` refuses. */
  answer(id: string, decision: Decision): Answered {
    const { rows, policy, log, publish } = this.#parts
    const asked = this.#known(id)
    const lasting = asked.state === 'pending' ? lastingAnswer(asked, decision, policy) : undefined
    const open = this.#open.get(id)
    const status = rows.atomically(() => this.#decide(asked, open, decision))
    const row = this.#known(id)
    const permission = this.#view(row)
    if (status !== 'answered') return { status, permission }
    this.#open.delete(id)
    // Stored before the agent continues: its next question may be covered by the rule.
    const remembered = lasting && remember(askingOf(row), lasting, this.#parts).catch(onlyOnce)
    if (lasting) this.#parts.onGrant()
    remembered?.catch((error: unknown) => log.warn(String(error), { permission: id }))
    const updatedInput = { ...(decision.updatedInput ?? asked.input) }
    const isAllowed = decision.decision === 'allow'
    open?.settle(isAllowed ? { behavior: 'allow', updatedInput } : { behavior: 'deny', message: row.message ?? '' })
    publish({ type: 'permission:resolved', permission })
    return { status, permission, ...(remembered && { remembered }) }
  }

  /** Denies a question that nobody can answer, because of `why`. */
  refuse(id: string, why: string): void {
    const open = this.#open.get(id)
    if (open) this.#end(open.row, 'denied', why)
  }

  /** How many questions are waiting for an answer. */
  get openCount(): number {
    return this.#open.size
  }

  find(id: string): PermissionView | undefined {
    const row = this.#parts.rows.find(id)
    return row && this.#view(row)
  }

  /** The questions that can be answered now. */
  open(): readonly PermissionView[] {
    return [...this.#open.values()].map(({ row }) => this.#view(row))
  }

  list(filter: PermissionFilter): PermissionView[] {
    return this.#parts.rows.list(filter).map((row) => this.#view(row))
  }

  /** The oldest question of this turn that is waiting for an answer. */
  ofTurn(turnId: string): PermissionRow | undefined {
    return [...this.#open.values()].find(({ row }) => row.turn === turnId)?.row
  }

  /** The oldest question of this session that is waiting for an answer. */
  ofSession(session: number): PermissionRow | undefined {
    return [...this.#open.values()].find(({ row }) => row.session === session)?.row
  }

  /**
   * Recovers the questions that an earlier daemon left. Ends the questions whose processes ended with that daemon. If a
   * process may still be alive (`mayLive`), its questions can be answered until their deadline, and the process asks
   * them again once Iris is connected to it.
   */
  endLeft(mayLive: (row: PermissionRow) => boolean): void {
    for (const row of this.#parts.rows.pending()) {
      if (mayLive(row)) this.#await(row, () => {})
      else this.#end(row, 'ended', 'Iris was stopped before anybody answered')
    }
  }

  /** Ends the questions for which `isOver` returns true, because no process is waiting for their answers any more. */
  endThose(isOver: (row: PermissionRow) => boolean, why: string): void {
    for (const { row } of [...this.#open.values()]) if (isOver(row)) this.#end(row, 'ended', why)
  }

  /** Denies the waiting questions that a stricter setting denies. */
  settingsChanged(): void {
    for (const { row } of this.#open.values()) {
      const { decision, why } = this.#parts.policy.evaluate(askingOf(row), row)
      if (decision === 'deny') this.#close(row, 'denied', why)
    }
  }

  /** Lets a question be answered until its deadline. Returns the function that cancels the deadline's timer. */
  #await(row: PermissionRow, settle: Open['settle']): () => void {
    const { clock } = this.#parts
    this.#open.get(row.id)?.cancelTimer()
    const from = Math.max(row.askedAt, clock.now())
    const leftMs = Math.max(0, row.deadline - from)
    const why = `nobody answered within ${(row.deadline - row.askedAt) / 1000} s`
    const cancelTimer = clock.after(leftMs, () => this.#end(row, 'timed_out', why))
    this.#open.set(row.id, { row, now: timesFrom(from, clock), settle, cancelTimer })
    return cancelTimer
  }

  #commit(asker: Asker, question: PermissionQuestion, timeoutMs: number): PermissionRow {
    const { rows, clock, newId, config } = this.#parts
    const { session, processStart, turn, chain } = asker
    const directory = workingTeam(config(), session.to)?.realPath ?? ''
    const { toolName, toolUseId, input, suggestions, blockedPath = null, why = null } = question
    const id = newId()
    const askedAt = clock.now()
    const inputHash = sha256(JSON.stringify(input))
    const when = { askedAt, deadline: askedAt + timeoutMs }
    const what = { toolName, toolUseId, input, inputHash, suggestions, blockedPath, why }
    rows.add({ id, session: session.row.id, processStart, turn: turn?.id ?? null, chain, directory, ...what, ...when })
    return this.#known(id)
  }

  #decide(asked: PermissionRow, open: Open | undefined, decision: Decision): AnswerStatus {
    const { rows, audit, clock } = this.#parts
    const { by, scope = 'once', updatedInput, message } = decision
    const isAllowed = decision.decision === 'allow'
    const at = open?.now() ?? clock.now()
    const isFirst =
      open !== undefined &&
      rows.decide(asked.id, {
        state: isAllowed ? 'allowed' : 'denied',
        decidedBy: by,
        decidedAt: at,
        scope,
        updatedInput: isAllowed ? (updatedInput ?? null) : null,
        message: isAllowed ? null : refusal(asked.to, asked.toolName, deniedByPerson(message)),
      })
    const status = isFirst ? 'answered' : wasAnswered(this.#known(asked.id)) ? 'already_answered' : 'ended'
    const changed = updatedInput && { ranInputHash: sha256(JSON.stringify(updatedInput)) }
    audit.record({
      at,
      actor: by,
      action: 'permission.answered',
      subject: asked.id,
      decision: decision.decision,
      inputHash: asked.inputHash,
      detail: { effect: status, team: asked.to, toolName: asked.toolName, scope, chain: asked.chain, ...changed },
    })
    return status
  }

  #end(row: PermissionRow, state: Exclude<PermissionState, 'pending' | 'allowed'>, why: string): void {
    this.#close(row, state, refusal(row.to, row.toolName, why))
  }

  /** Denies a question without a person's decision. The denial holds even if the store cannot record it. */
  #close(row: PermissionRow, state: Exclude<PermissionState, 'pending' | 'allowed'>, message: string): void {
    const { rows, audit, clock, log, publish } = this.#parts
    const at = this.#open.get(row.id)?.now() ?? Math.max(row.askedAt, clock.now())
    const end = { state, decidedBy: 'iris', decidedAt: at, scope: null, message, updatedInput: null }
    this.#open.get(row.id)?.settle({ behavior: 'deny', message })
    this.#open.delete(row.id)
    try {
      rows.atomically(() => {
        rows.decide(row.id, end)
        audit.record({
          at,
          actor: 'iris',
          action: `permission.${state}`,
          subject: row.id,
          decision: 'deny',
          inputHash: row.inputHash,
          detail: { team: row.to, toolName: row.toolName, chain: row.chain, why: message },
        })
      })
    } catch (error) {
      log.error(`the end of a question could not be recorded: ${String(error)}`, { permission: row.id })
    }
    const type = state === 'timed_out' ? 'permission:timeout' : 'permission:resolved'
    publish({ type, permission: this.#view({ ...row, ...end }) })
  }

  #view(row: PermissionRow): PermissionView {
    return questionView(row, this.#parts.policy, this.#parts.rootOf)
  }

  #known(id: string): PermissionRow {
    const row = this.#parts.rows.find(id)
    if (row) return row
    const remedy = 'Run "iris permissions" to see the waiting permission requests.'
    throw new IrisError('unknown_permission', `There is no permission request ${id}.`, remedy)
  }
}

/** The answer applies, although its rule could not be stored. */
function onlyOnce(error: unknown): never {
  const { code, message, remedy } = toIrisError(error)
  throw new IrisError(code, `Your answer applies to this one time only. ${message}`, remedy, { cause: error })
}
