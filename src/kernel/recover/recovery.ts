import type { Answer, AnswerNotes } from '../../base/agent/answer.ts'
import type { DeliveryRecord } from '../../base/agent/delivery-record.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { pairText } from '../../base/protocol/pair.ts'
import { pausedTwice } from '../../claude/driver/endings.ts'
import { continuation } from '../../claude/driver/envelope.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { MachineError } from '../../platform/machine/machine-error.ts'
import type { DeliveryReason, TurnRow } from '../../platform/store/ledger.ts'
import type { OpenAgent } from '../../platform/store/open-agents.ts'
import { transcriptRemedy } from '../pool/transcript-unreadable.ts'
import type { Session } from '../session/session.ts'
import type { OwnedTurn } from '../turn/owned-turn.ts'
import type { Turn } from '../turn/turn.ts'
import {
  ended,
  nothingPaused,
  type PausedSpeech,
  pausedAfter,
  recovered,
  type Verdict,
  withoutServers,
  withPaused,
} from '../turn/verdict.ts'
import { classifyInterruption, type Judgement, type Unfinished } from './classify-interruption.ts'
import { goingOn, type OwnText } from './own-text.ts'
import type { OrchestratorParts } from './parts.ts'

/** The next step for a turn: deliver it to Claude, or settle it. */
export type Plan =
  | {
      readonly kind: 'deliver'
      readonly why: DeliveryReason
      readonly uuid: string
      /** Replaces the wrapped message. If undefined, the wrapped message is sent. */
      readonly text: OwnText | undefined
    }
  | { readonly kind: 'settle'; readonly verdict: Verdict }

/** After a process has ended, determines the outcome of a delivery and how its turn continues. */
export class Recovery {
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #find: (id: string) => Turn | undefined

  constructor(session: Session, parts: OrchestratorParts, find: (id: string) => Turn | undefined) {
    this.#session = session
    this.#parts = parts
    this.#find = find
  }

  /** Plans the next step of a delivered turn. Its process and everything the process started must have ended. */
  async plan(turn: OwnedTurn): Promise<Plan> {
    const { config, log, newId } = this.#parts
    const { judgement, records, openAgents } = await this.#classify(turn)
    log.info(interrupted[judgement.kind], { pair: pairText(this.#session), turnId: turn.id })
    const isWhole = judgement.kind === 'answered' && this.#parts.ledger.steers.of(turn.id).length === 0
    const before = pausedIn(records.slice(0, -1))
    if (isWhole) {
      const verdict = withPaused(before ?? nothingPaused, this.answered(judgement))
      return { kind: 'settle', verdict }
    }
    if (judgement.kind === 'unreadable') return { kind: 'settle', verdict: this.#unreadable(turn, judgement) }
    if (judgement.kind === 'again') {
      const { uuid, continuing } = judgement
      const text =
        continuing &&
        (isPaused(records.at(-2)) ? goingOn(turn, this.#session) : await this.#continuation(turn, continuing))
      return { kind: 'deliver', why: 'again', uuid, text }
    }
    const team = workingTeam(config(), this.#session.to)
    const onInterrupted = team?.onInterrupted ?? config().settings.onInterrupted
    if (judgement.kind === 'answered' && onInterrupted === 'report')
      return { kind: 'settle', verdict: this.#answered(turn, judgement.answer) }
    const from = named(judgement.kind === 'answered' ? nothingKnown : judgement.from, openAgents)
    if (onInterrupted === 'report') return { kind: 'settle', verdict: this.#withJoined(turn, inDoubt(from, records)) }
    const last = records.at(-1)
    if (!isPaused(last))
      return { kind: 'deliver', why: 'continue', uuid: newId(), text: await this.#continuation(turn, from) }
    if (before === undefined)
      return { kind: 'deliver', why: 'continue', uuid: newId(), text: goingOn(turn, this.#session) }
    return {
      kind: 'settle',
      verdict: ended('failed', 'paused', pausedTwice, pausedAfter(before, last.paused).everything),
    }
  }

  /**
   * The text of the turn's paused replies in deliveries of an earlier daemon. Resolves to undefined if no reply was
   * paused.
   */
  async pausedSoFar(turn: Turn): Promise<PausedSpeech | undefined> {
    const deliveries = this.#parts.ledger.deliveriesOf(turn.id).slice(0, -1)
    return pausedIn(await Promise.all(deliveries.map(({ uuid }) => this.read(uuid))))
  }

  /**
   * For a delivery that an earlier daemon began and whose process has now ended. Claude may not have read the messages
   * that joined the turn under that daemon. Resolves to a plan that delivers or names those messages, or to undefined
   * if nothing is needed.
   */
  async afterJoining(turn: OwnedTurn, { outcome, usage }: Verdict): Promise<Plan | undefined> {
    if (outcome !== 'completed' || this.#parts.ledger.steers.of(turn.id).length === 0) return undefined
    const plan = await this.plan(turn)
    if (plan.kind === 'deliver') return plan
    return plan.verdict.reason === 'interrupted' ? { ...plan, verdict: { ...plan.verdict, usage } } : undefined
  }

  /**
   * The end of a turn whose answer is in the transcript. Names the MCP servers that the agent lacked, which the
   * transcript does not mention.
   */
  answered({ answer, notes }: { readonly answer: string; readonly notes?: AnswerNotes }): Verdict {
    const end = recovered(answer, notes)
    const lacked = withoutServers(this.#parts.launcher.setups.missingIn(this.#session))
    return { ...end, detail: [end.detail, lacked].filter(Boolean).join(' ') || null }
  }

  /**
   * The end of a turn whose conversation has an answer. Messages that joined the turn may have come after that answer.
   */
  #answered(turn: Turn, answer: string): Verdict {
    const hasJoined = this.#parts.ledger.steers.of(turn.id).length > 0
    if (!hasJoined) return this.answered({ answer })
    return this.#withJoined(turn, ended('in_doubt', 'interrupted', 'The message was answered.', answer))
  }

  /** Adds to the verdict the messages that joined the turn and may not have been read, and keeps the text so far. */
  #withJoined(turn: Turn, verdict: Verdict): Verdict {
    const steers = this.#parts.ledger.steers.of(turn.id)
    if (steers.length === 0) return verdict
    const joined = steers.map(({ message }) => `"${message.slice(0, maxJoined).toWellFormed()}"`).join(', ')
    const detail = `${verdict.detail} Messages that joined it may not have been read: ${joined}.`
    return { ...verdict, detail, partial: verdict.partial ?? (turn.partialText || null) }
  }

  /**
   * The end of a delivered turn that Iris gives up on. `fault` says why: no process can be started, every process died,
   * or a hook blocks the request to continue. Tool effects cannot be undone, so if the ledger has a tool start, the
   * turn is in doubt and counts as delivered.
   */
  async cutOff(turn: OwnedTurn, fault: Verdict): Promise<Verdict> {
    const { judgement, records, toolStarts, openAgents } = await this.#classify(turn)
    if (judgement.kind === 'answered') return this.#answered(turn, judgement.answer)
    if (toolStarts.length > 0 || records.some(isKnown)) {
      turn.hadBegun(toolStarts[0]?.startedAt ?? turn.dispatchedAt)
    }
    if (toolStarts.length === 0) return fault
    const from = unfinishedOf(judgement) ?? nothingKnown
    const started = [...new Set(toolStarts.map(({ name }) => name))]
    const tools = from.tools.length > 0 ? from.tools : started
    const end = inDoubt(named({ ...from, tools }, openAgents), records, `${fault.detail} `)
    return { ...end, partial: end.partial ?? fault.partial ?? saidIn(records), usage: fault.usage }
  }

  async #classify(turn: Turn) {
    const { ledger } = this.#parts
    const deliveries = ledger.deliveriesOf(turn.id)
    const openAgents = ledger.openAgents.of(turn.id)
    const records = await Promise.all(deliveries.map(({ uuid }) => this.read(uuid, openAgents)))
    const toolStarts = ledger.toolStarts.of([turn.id])
    const last = records.at(-1) ?? { kind: 'absent' as const }
    return { judgement: classifyInterruption({ deliveries, toolStarts, last }), records, toolStarts, openAgents }
  }

  async read(uuid: string, openAgents: readonly OpenAgent[] = []): Promise<DeliveryRecord> {
    const ofDelivery = openAgents.filter(({ delivery }) => delivery === uuid).map(({ toolUseId }) => toolUseId)
    const sought = { uuid, openAgents: ofDelivery, after: this.#session.row.lastAnsweredDelivery }
    // Tries twice, because the file may have been replaced by another one in the meantime.
    const look = (): Promise<DeliveryRecord> => this.#parts.evidence.delivery(this.#session, sought)
    return look().catch(() => look().catch(unreadable))
  }

  /**
   * The end of a turn whose transcript cannot be read. If the ledger has no tool start, the turn had no effect, so it
   * has failed and is not in doubt.
   */
  #unreadable(turn: Turn, { problem, tools }: Extract<Judgement, { kind: 'unreadable' }>): Verdict {
    const which = tools.length > 0 ? ` These tools may or may not have had their effect: ${tools.join(', ')}.` : ''
    const isFar = this.#parts.launcher.isUnreachable(this.#session.to)
    const remedy = isFar ? 'Wait until the machine can be reached.' : transcriptRemedy(this.#session)
    const detail = `Its process ended, and Claude Code's record of the conversation cannot be read: ${problem}. Iris cannot know whether the message was answered, so it does not send it to Claude again.${which} ${remedy} Then ask again.`
    const reason = isFar ? 'host_unreachable' : 'transcript_unreadable'
    return ended(tools.length > 0 ? 'in_doubt' : 'failed', reason, detail, turn.partialText)
  }

  /** Waits for the asks that the turn awaited, so that the text can tell its agent how they ended. */
  async #continuation(turn: OwnedTurn, { tools, agents }: Unfinished): Promise<OwnText> {
    const { ledger, notices, sessions } = this.#parts
    for (const { id, awaited } of ledger.asksOf(turn.id)) {
      const ask = this.#find(id)
      if (ask === undefined || ask.end !== undefined || !awaited) continue
      turn.waitFor(id)
      await Promise.race([ask.settled, aborted(turn.cancelled)])
      turn.waitNoMoreFor(id)
    }
    const asks = ledger.asksOf(turn.id).map((ask) => askEnd(ask, sessions.rowOf(ask.session).to))
    const { message, responseSchema: schema } = turn.facts
    const typed = { schema, hasValue: turn.value !== undefined }
    const left = { notices: notices.ofTurn(turn.id), tools, agents, asks }
    const words = (isKnown: boolean) => continuation(this.#session, { message, ...typed, isKnown, ...left })
    return { request: 'interruption', words }
  }
}

type PausedRecord = DeliveryRecord & { readonly paused: Answer }

function isPaused(record: DeliveryRecord | undefined): record is PausedRecord {
  return record?.kind === 'unfinished' && record.paused !== undefined
}

function pausedIn(records: readonly DeliveryRecord[]): PausedSpeech | undefined {
  const paused = records.filter(isPaused)
  return paused.length === 0
    ? undefined
    : paused.reduce((before, record) => pausedAfter(before, record.paused), nothingPaused)
}

/** The agent's last text in the conversation. */
function saidIn(records: readonly DeliveryRecord[]): string | null {
  return records.flatMap((record) => (record.kind === 'unfinished' && record.partial) || []).at(-1) ?? null
}

function isKnown({ kind }: DeliveryRecord): boolean {
  return kind === 'answered' || kind === 'unfinished'
}

function unreadable(error: unknown): DeliveryRecord {
  const { code } = error as NodeJS.ErrnoException
  const isSaid = error instanceof MachineError || error instanceof IrisError
  const problem = isSaid ? error.message.replace(/\.$/, '') : `the system says ${code ?? String(error)}`
  return { kind: 'unreadable', problem }
}

function unfinishedOf(judgement: Judgement): Unfinished | undefined {
  if (judgement.kind === 'again') return judgement.continuing
  return judgement.kind === 'unfinished' ? judgement.from : undefined
}

/** How many characters of a joined message appear in the turn's end. */
const maxJoined = 200

const nothingKnown: Unfinished = { tools: [], agents: [] }

/** Replaces the ids of agents by the descriptions of these agents. */
function named(from: Unfinished, openAgents: readonly OpenAgent[]): Unfinished {
  const name = (id: string): string => openAgents.find(({ toolUseId }) => toolUseId === id)?.description ?? id
  return { ...from, agents: from.agents.map(name) }
}

/** The log's text for a message whose process ended. */
const interrupted = {
  answered: 'Interrupted message had been answered',
  unreadable: 'Interrupted message cannot be judged: the transcript cannot be read',
  again: 'Interrupted message is given to Claude again',
  unfinished: 'Interrupted message was cut off at work',
} as const

function inDoubt({ tools, agents }: Unfinished, records: readonly DeliveryRecord[], why = ''): Verdict {
  const last = records.at(-1)
  const which = tools.length > 0 ? ` These tools may or may not have had their effect: ${tools.join(', ')}.` : ''
  const whose = agents.length > 0 ? ` These had not reported from the background: ${agents.join(', ')}.` : ''
  const detail = `${why}The work was cut off.${which}${whose} Check the project, then ask again.`
  return ended('in_doubt', 'interrupted', detail, last?.kind === 'unfinished' ? last.partial : '')
}

function askEnd(row: TurnRow, team: string) {
  const status = row.outcome ?? 'still running, collect it with message_status'
  return {
    team,
    turnId: row.id,
    status,
    text: row.answer || row.detail || row.partial || '',
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
