import type { z } from 'zod'
import { changesIn } from '../claude/envelope.ts'
import type { FoundTurn } from '../orchestrator/orchestrator.ts'
import type { messageStatus, sendMessage } from '../protocol/operations/messages.ts'
import { mainThread } from '../protocol/party.ts'
import type { TurnResult } from '../protocol/turn.ts'
import type { Call, Domain } from './call.ts'
import { fromParty } from './from-party.ts'
import { mayRead } from './may-read.ts'
import { namedTurn, unknownTurn } from './named-turn.ts'
import { accepted, idOf, ofAccepted } from './not-accepted.ts'
import { permissionAwaited } from './permission-awaited.ts'
import { turnView } from './turn-view.ts'
import { checkedTimeout, waitFor } from './wait.ts'

type SendInput = z.output<typeof sendMessage.input>
type StatusInput = z.output<typeof messageStatus.input>
type StatusOutput = z.output<typeof messageStatus.output>

/** send_message, ask_message, and quick_message with a timeout of -1. */
export async function send(input: SendInput, call: Call, domain: Domain): Promise<TurnResult> {
  const { config, orchestrator } = domain
  const timeout = checkedTimeout(input.timeout ?? config().settings.defaultTimeout)
  const from = fromParty(call.caller, input.fromTeam, config())
  const ask = {
    pair: { from, to: input.toTeam, thread: input.thread ?? mainThread },
    // Half a surrogate pair cannot be stored, and a repeated call must find what it sent.
    message: input.message.toWellFormed(),
    waits: timeout !== -1,
    idempotencyKey: callKey(from, input.idempotencyKey, call, domain),
    parent: call.caller.parent,
    budget: input.budget,
  }
  const found = accepted(() => orchestrator.ask(ask), byKey(ask.idempotencyKey, domain))
  const result = await ofAccepted(idOf(found), collect(found, { timeout, raw: input.raw === true }, call, domain))
  return { ...result, ...changesOf(input.message) }
}

/** For the answer to the sender. */
export function changesOf(message: string): Pick<TurnResult, 'changes'> {
  const changes = changesIn(message)
  return changes.length > 0 ? { changes } : {}
}

/** message_status: how an earlier turn stands, or its end when it comes in time. */
export async function status(input: StatusInput, call: Call, domain: Domain): Promise<StatusOutput> {
  const found = domain.orchestrator.find(namedTurn(input.turnId, domain))
  if (found === undefined || !mayRead(found, call, domain)) {
    const what = `There is no turn ${input.turnId} of yours.`
    throw unknownTurn(what, input.turnId, 'Use the turnId that send_message returned.', call, domain)
  }
  const timeout = checkedTimeout(input.timeout ?? -1)
  const asker = call.caller.parent?.turn
  if ('live' in found && timeout !== -1 && asker) domain.orchestrator.awaits(asker, found.live)
  const result = await collect(found, { timeout, raw: input.raw === true }, call, domain)
  const { id, parentTurn, budget, acceptedAt } = 'live' in found ? found.live.facts : found.row
  if (parentTurn !== null && budget === null) return result
  const now = 'live' in found ? found.live.now() : domain.clock.now()
  return { ...result, tree: domain.orchestrator.budgets.figures(id, budget, acceptedAt, now) }
}

export async function collect(
  found: FoundTurn,
  { timeout, raw }: { timeout: number; raw: boolean },
  call: Call,
  domain: Domain,
) {
  const { clock, orchestrator, sessions, secrets } = domain
  const live = 'live' in found ? found.live : undefined
  if (live && timeout !== -1) {
    await waitFor(live, timeout, call, domain)
    const asker = call.caller.parent?.turn
    if (asker) orchestrator.awaitsNoMore(asker, live.id)
  }
  const result = turnView(found, {
    now: clock.now(),
    sessionIdOf: (turn) => orchestrator.sessionOf(turn).sessionId,
    rowOf: (session) => sessions.rowOf(session),
    withoutSecrets: secrets.hideInText,
    ongoing: timeout === -1 ? 'async' : 'mcp_timeout',
  })
  const waitsForPermission = live && permissionAwaited(live, domain)
  return {
    ...result,
    ...(waitsForPermission !== undefined && { waitsForPermission }),
    ...(raw && live && { rawMessages: [...(await live.linesSoFar())] }),
  }
}

/** Finds what a call with this key has had accepted. */
export function byKey(key: string | undefined, { orchestrator }: Domain): () => FoundTurn | undefined {
  return () => (key === undefined ? undefined : orchestrator.findByKey(key))
}

/** What names a call that may be repeated: its own key, its connection's, or the tool use of an agent. */
export function callKey(
  from: string,
  own: string | undefined,
  call: Call,
  { orchestrator }: Domain,
): string | undefined {
  const key = own ?? call.idempotencyKey
  if (key !== undefined) return `${from}\0${key}`
  // An agent's tool use is one call, however often its process was interrupted.
  const { parent } = call.caller
  return parent && `${orchestrator.sessionOf(parent.turn).sessionId}\0${parent.toolUseId}`
}
