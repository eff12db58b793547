import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import { isOpenSessionThread } from '../../../base/protocol/open-session-thread.ts'
import { mainThread } from '../../../base/protocol/pair.ts'
import { isEnd, type TurnResult } from '../../../base/protocol/turn.ts'
import { changesIn } from '../../../claude/driver/envelope.ts'
import type { TurnHandle } from '../../../kernel/accept/turn-handle.ts'
import { askerOf, mustMayAsk } from '../../../kernel/call/asker.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type MayReachParts, mayReach } from '../../../kernel/call/may-reach.ts'
import { type NamedTurnParts, namedTurn, unknownTurn } from '../../../kernel/call/named-turn.ts'
import { isNamed } from '../../../kernel/call/policy.ts'
import { everythingSaid, turnView } from '../../../kernel/call/turn-model.ts'
import type { Ask, AttachedFile } from '../../../kernel/turn/ask.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { ModelChangeRows } from '../../../platform/store/model-changes.ts'
import type { ClusterView } from '../../cluster/view.ts'
import { changedSince, type InsightParts } from '../../insight/handlers/insight.ts'
import { keptAnswer, type ReuseAnswersParts, watchAnswer } from '../../insight/handlers/reuse-answers.ts'
import type { WatchedAnswers } from '../../insight/watched-answers.ts'
import { type LateParts, settleWith } from '../../late/handlers.ts'
import type { AskingSessions } from '../../permission/asking-sessions.ts'
import { permissionAwaited } from '../../permission/handlers/permission-awaited.ts'
import { newReports, type ReportsParts, reportsOf } from '../../reports/reports.ts'
import { noteTrace, type TraceLinkParts } from '../../traces/handlers/trace-link.ts'
import type { messageStatus, SendInput } from '../contract/messages.ts'
import { longPartAt, withinBytes, withPart } from './answer-part.ts'
import { callbackFor } from './callback.ts'
import { accepted, ofAccepted } from './not-accepted.ts'
import { type OnChangeParts, reportsAtOnce } from './on-change.ts'
import { stuckText } from './stuck-text.ts'
import { checkedTimeout, heldTimeout, type WaitParts, waitFor } from './wait.ts'

/** The dependencies of these operations. */
export interface MessagesParts
  extends OnChangeParts,
    ReuseAnswersParts,
    TraceLinkParts,
    LateParts,
    ReportsParts,
    NamedTurnParts,
    MayReachParts,
    InsightParts,
    WaitParts {
  /** Hosts with their own Iris. */
  readonly cluster: ClusterView
  readonly watchedAnswers: Pick<WatchedAnswers, 'watch'>
  readonly askingSessions: Pick<AskingSessions, 'asks'>
  readonly modelChanges: Pick<ModelChangeRows, 'of'>
  /** Knows which answers have reached their callers, and which are news to the owner. */
  readonly inboxNews: {
    awaits(turnId: string): () => void
    received(turnId: string): void
  }
}

/** Reads the files of a call; called only when the message is not accepted yet. */
type ReadFiles = () => Promise<readonly AttachedFile[] | undefined>
type StatusInput = z.output<typeof messageStatus.input>
type StatusOutput = z.output<typeof messageStatus.output>

/** The individual and the shared fields of a message in a call to several teams. */
interface OfMany extends Pick<Ask, 'sharedBudget'> {
  readonly keySuffix: string
}

/** Sends a message to one team. */
export async function sendToOne(
  input: SendInput & { readonly toTeam: string },
  files: ReadFiles,
  call: Call,
  parts: MessagesParts,
  { keySuffix, sharedBudget }: OfMany = { keySuffix: '' },
): Promise<TurnResult> {
  const { config, turns } = parts
  const timeout = checkedTimeout(input.timeout ?? config().settings.defaultTimeout)
  const said = askFor(input, call, parts)
  const key = callKey(said.pair.from, input.idempotencyKey, call)
  const idempotencyKey = key && `${key}${keySuffix}`
  const isNew = async (): Promise<boolean> => (await byKey(idempotencyKey, parts)()) === undefined
  const ask = {
    ...said,
    waits: timeout !== -1,
    waitsMs: timeout > 0 ? timeout : input.patience,
    idempotencyKey,
    // Without files there is no `await`, so the message is accepted before another call can come in between.
    attachments: input.attachments !== undefined && (await isNew()) ? await files() : undefined,
    parent: call.auth.parent,
    sharedBudget,
    live: input.deliver === 'live',
  }
  const resultOf = (earlier: TurnHandle) => collect(earlier, { timeout: -1, raw: false }, call, parts)
  const isWatched = reportsAtOnce(input, said.pair.to, parts)
  const mayKeep = input.fresh === 'ifChanged'
  const asked = { ...ask, selfContained: input.selfContained === true }
  const kept = mayKeep && (await isNew()) ? await keptAnswer(asked, resultOf, parts) : undefined
  const watch = (turnId: string): void => {
    if (isWatched) parts.watchedAnswers.watch(turnId, { console: call.console, asker: call.auth.parent?.turnId })
  }
  if (kept !== undefined) watch(kept.turnId)
  if (kept !== undefined) return kept
  const turn = await accepted(() => turns.ask(ask), byKey(ask.idempotencyKey, parts))
  noteTrace(turn.id, call, parts)
  watch(turn.id)
  if (mayKeep) await watchAnswer(turn, asked, parts)
  const raw = input.raw === true && !isNamed(call.auth.principal)
  const isOver = parts.askingSessions.asks(call.console, turn.id)
  const result = await ofAccepted(turn.id, collect(turn, { timeout, raw }, call, parts))
  if (isEnd(result.status)) isOver()
  if (input.deliver !== 'poll') settleWith(result, call, parts)
  return { ...result, ...changesOf(input.message), ...drifted(result, parts), ...newReports(result, parts) }
}

/** The fields of the ask from the input. Throws as `roleFor`, `askerOf`, `mustMayAsk` and `callbackFor` do. */
export function askFor(input: SendInput & { readonly toTeam: string }, call: Call, { config, cluster }: MessagesParts) {
  const { whenBusy, priority, budget, responseSchema, thread = mainThread } = input
  const to = cluster.hosts.resolve(input.toTeam)
  mustMayAsk(call.auth, to)
  return {
    pair: { from: askerOf(call.auth, input.fromTeam, config()), to, thread },
    role: roleFor(input.role, call, config()),
    // Half a surrogate pair cannot be stored, and a repeated call must match the stored text.
    message: input.message.toWellFormed(),
    whenBusy,
    priority,
    budget,
    responseSchema,
    ...callbackFor(input, to, call, config()),
  }
}

/** The role that answers the message. Throws `not_allowed` and `not_found`. */
function roleFor(wanted: string | undefined, { auth }: Call, config: Config): string | undefined {
  const { limitedTo } = auth.principal
  if (wanted === undefined || wanted === limitedTo) return limitedTo
  if (limitedTo !== undefined && isNamed(auth.principal))
    throw new IrisError('not_allowed', `This token always asks with the role "${limitedTo}".`, 'Leave role out.')
  if (limitedTo !== undefined) {
    const what = `You answer with the role "${limitedTo}", so you ask with its rights.`
    throw new IrisError('not_allowed', what, 'Leave role out.')
  }
  if (config.roles.has(wanted)) return wanted
  const known = [...config.roles.keys()].join(', ')
  throw new IrisError(
    'not_found',
    `There is no role "${wanted}".`,
    `Roles: ${known}. To add one, define it under roles in config.yaml.`,
  )
}

/** The changes that Iris makes in a message, for the answer to the sender. */
export function changesOf(message: string): Pick<TurnResult, 'changes'> {
  const changes = changesIn(message)
  return changes.length > 0 ? { changes } : {}
}

/** message_status: the state of an earlier turn, or its end if it ends within the timeout. */
export async function status(input: StatusInput, call: Call, parts: MessagesParts): Promise<StatusOutput> {
  const turn = parts.turns.handle(namedTurn(input.turnId, parts))
  const found = await turn.status()
  if (found === undefined || !mayReach('message_status', found, call, parts)) {
    const what = `There is no turn ${input.turnId} of yours.`
    throw unknownTurn(what, input.turnId, 'Use the turnId that send_message returned.', call, parts)
  }
  const timeout = checkedTimeout(input.timeout ?? -1)
  const { raw = false, everything = false } = input
  if (raw && isNamed(call.auth.principal))
    throw new IrisError('not_allowed', "Programs cannot read Claude Code's raw lines.", 'Leave raw out.')
  const result = await collect(turn, { timeout, raw, everything, isPart: input.from !== undefined }, call, parts)
  const tree = await turn.tree()
  const { attachments } = 'live' in found ? found.live.facts : found.row
  const isAsker = askerOf(call.auth, input.fromTeam, parts.config()) === result.from
  if (isEnd(result.status)) settleWith(result, call, parts)
  if (isEnd(result.status) && isAsker) parts.inboxNews.received(result.turnId)
  const unread = parts.lateAnswers.isUnread(result.turnId)
  return {
    ...(input.from === undefined ? result : withPart(result, input.from, await longPartAt(result, input.from, turn))),
    ...(tree && { tree }),
    ...(attachments && { attachments: attachments.map(({ name }) => name) }),
    ...(unread && { unread }),
    ...(isAsker && drifted(result, parts)),
    ...reportsOf(result, isAsker, parts),
  }
}

function drifted(result: TurnResult, parts: MessagesParts): Pick<TurnResult, 'changedSince'> {
  return result.status === 'completed' ? changedSince(result, parts) : {}
}

interface Wanted {
  readonly timeout: number
  readonly raw: boolean
  readonly everything?: boolean
  /** Whether the call requests a part of the text. If so, the result of a running turn must contain the whole text. */
  readonly isPart?: boolean
}

/** Waits for the turn. If the caller is still waiting when the turn ends, the answer is not news to the owner. */
async function awaited(turn: TurnHandle, timeout: number, call: Call, parts: MessagesParts) {
  const leave = parts.inboxNews.awaits(turn.id)
  call.signal.addEventListener('abort', leave, { once: true })
  try {
    return await waitFor(turn, heldTimeout(timeout, call), call, parts)
  } finally {
    call.signal.removeEventListener('abort', leave)
    if (!call.signal.aborted) leave()
  }
}

export async function collect(
  turn: TurnHandle,
  { timeout, raw, everything = false, isPart = false }: Wanted,
  call: Call,
  parts: MessagesParts,
) {
  const { clock, sessions, secrets } = parts
  await turn.durable()
  const status = timeout === -1 ? await turn.status() : await awaited(turn, timeout, call, parts)
  if (status === undefined) throw new Error(`turn ${turn.id} is nowhere`)
  const result = turnView(status, {
    now: clock.now(),
    rowOf: (session) => sessions.rowOf(session),
    withoutSecrets: secrets.hideInText,
    ongoing: timeout === -1 ? 'async' : 'mcp_timeout',
  })
  const isLive = 'live' in status
  const steered = await turn.steered()
  const waits = isLive && status.live.end === undefined && !isOpenSessionThread(status.live.pair.thread)
  const stuck = isLive ? await stuckText(turn.id, parts.turns, isNamed(call.auth.principal)) : undefined
  const otherModel = parts.modelChanges.of([turn.id]).get(turn.id)
  const limited = waits ? parts.accountLimits.of(status.live.pair.to, turn.id) : undefined
  const waitsForPermission = isLive ? await permissionAwaited(turn.id, parts) : undefined
  const isGoingOn = isLive && status.live.end === undefined
  const waitsFor = parts.waits.of(turn.id, isNamed(call.auth.principal))
  return {
    ...(isGoingOn && !isPart ? withinBytes(result, parts.config().settings.maxAnswerBytes) : result),
    ...(everything && { everything: everythingSaid(status) }),
    ...(waitsForPermission !== undefined && { waitsForPermission }),
    ...(waitsFor && { waitsFor }),
    ...(steered.length > 0 && { steered: steered.map(({ message, joinedAt }) => ({ message, joinedAt })) }),
    ...(stuck !== undefined && { stuck }),
    ...(otherModel && { otherModel }),
    ...(limited && { limitedUntil: limited.until, limitedBy: limited.window }),
    ...(raw && isLive && { rawMessages: (await turn.messages()).map(({ line }) => line) }),
  }
}

/** Finds the turn that was accepted for a call with this key. */
export function byKey(key: string | undefined, { turns }: MessagesParts): () => Promise<TurnHandle | undefined> {
  return async () => (key === undefined ? undefined : turns.byKey(key))
}

/** The idempotency key of a call: the caller's, the transport's, or the id of an agent's tool use. */
export function callKey(from: string, own: string | undefined, call: Call): string | undefined {
  const key = own ?? call.idempotencyKey
  if (key !== undefined) return `${from}\0${key}`
  // An agent's tool use is one call, however often its process was interrupted.
  const { parent } = call.auth
  return parent && `${parent.session.sessionId}\0${parent.toolUseId}`
}
