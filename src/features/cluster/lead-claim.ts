import type { Pair } from '../../base/protocol/pair.ts'
import { projectSlug } from '../../claude/driver/project-slug.ts'
import { subagentsPlace } from '../../claude/driver/transcript.ts'
import { transcriptUnder } from '../../claude/driver/transcript-fork.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { EarlierWork } from '../../kernel/turn/ask.ts'
import { accountLabel } from '../../platform/config/account.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import type { BegunTurn, LoggedConversation } from './conversation-log.ts'
import type { Lead } from './lead.ts'
import type { LogPlace } from './led-conversation.ts'
import type { EndLetter, KnownOfTurn } from './letters.ts'
import type { Moved } from './moves.ts'

export interface TakeLeadParts {
  readonly config: () => Config
  readonly newId: () => string
  /** The name of this host. */
  readonly self: () => string
  readonly isAwake: (host: string) => boolean
  /** The host among these that should take a new conversation instead of this host. */
  readonly passOn: (hosts: readonly string[]) => string | undefined
  /** Whether this host has already accepted the turn before. */
  readonly hasHad: (turn: string) => boolean
  /** An awake host among these that is not this one. */
  readonly another: (hosts: readonly string[]) => string | undefined
  readonly moved: Moved
  readonly sessions: Sessions
  readonly machines: Machines
  readonly pool: Pick<Pool, 'stop'>
}

/** What this host does with an ask whose conversation several hosts may lead. */
export type Claim =
  /** This host answers. `earlierWork`: another host had begun the turn. */
  | { readonly kind: 'ours'; readonly earlierWork: EarlierWork | undefined }
  /** Another host leads, and is awake. */
  | { readonly kind: 'moved'; readonly to: string }
  /** Another host may have begun the turn, and the log does not show how far that host got. */
  | { readonly kind: 'lacks'; readonly why: string }
  /** The former leader had already ended the turn. */
  | { readonly kind: 'over'; readonly end: EndLetter }

/**
 * The requested turn, and what the asker knows about it. `known` is undefined if no host is known to have begun the
 * turn.
 */
export interface Claimed {
  readonly turn: string
  readonly known?: KnownOfTurn | undefined
}

/**
 * Why a turn that another host began may not continue here. Undefined if it may continue, because the log has
 * everything that the asker knows about.
 */
function whyUnknown({ host, place }: KnownOfTurn, found: BegunTurn | undefined, is: LogPlace | undefined) {
  const lost = `${host} had begun this message. The servers between the hosts`
  if (found === undefined) return `${lost} have no record of that.`
  if (place === undefined) return undefined
  if (place.log !== is?.log) return `${lost} have lost their records since.`
  return found.records.includes(place.record) ? undefined : `${lost} have lost their last records since.`
}

/**
 * Decides which host answers, and takes the lead if the leading host is away. Rejects if the ask must be delivered
 * again.
 */
export async function claim(lead: Lead, pair: Pair, { turn, known }: Claimed, parts: TakeLeadParts): Promise<Claim> {
  const leader = await lead.leader()
  const isElsewhere = leader !== undefined && leader.host !== parts.self() && parts.isAwake(leader.host)
  if (isElsewhere) return { kind: 'moved', to: leader.host }
  const isOwn = known?.host === parts.self() && parts.hasHad(turn)
  if (known !== undefined && !isOwn) {
    const { turns } = await lead.read()
    const found = turns.get(turn)
    if (found?.end) return { kind: 'over', end: found.end }
    const why = whyUnknown(known, found, lead.placeOf(turn))
    if (why !== undefined) return { kind: 'lacks', why }
  }
  const isHere = leader?.host === parts.self() && parts.sessions.bySessionId(leader.session) !== undefined
  const instead = leader === undefined ? parts.passOn(parts.config().teams.get(pair.to)?.hosts ?? []) : undefined
  if (instead !== undefined) return { kind: 'moved', to: instead }
  // This host may have taken the lead, and stopped before it accepted the turn.
  if (leader === undefined || isHere) return { kind: 'ours', earlierWork: lead.begun(turn) }
  const past = await lead.read()
  const end = past.turns.get(turn)?.end
  if (end) return { kind: 'over', end }
  // This host lost the turn to the host that is now away. A turn that has ended here does not begin again.
  if (leader.host !== parts.self() && parts.hasHad(turn)) {
    const to = parts.another(parts.config().teams.get(pair.to)?.hosts ?? [])
    if (to !== undefined) return { kind: 'moved', to }
    throw new Error(`${leader.host} continues the conversation, but is away`)
  }
  await takeLead(lead, pair, past, parts)
  return { kind: 'ours', earlierWork: lead.begun(turn) }
}

/** Writes the file before the log, and the log before the store. After a crash, the missing steps are repeated. */
async function takeLead(lead: Lead, pair: Pair, past: LoggedConversation, parts: TakeLeadParts): Promise<void> {
  const { config, machines, newId, sessions, pool, self } = parts
  const sessionId = newId()
  const text = transcriptUnder(past.text.split('\n'), sessionId)
  const { claude } = machines.of(pair.to)
  const names = ['projects', projectSlug(config().teams.get(pair.to)!.realPath), `${sessionId}.jsonl`]
  const beside = subagentsPlace(names)
  if (text !== '') {
    for (const [file, bytes] of past.subagents) await claude.write([...beside, file], piecesOf(bytes))
    await claude.write(names, piecesOf(Buffer.from(text)))
  }
  if (!(await lead.take(sessionId, Buffer.byteLength(text), past.last))) {
    if (text !== '') {
      await claude.remove(names)
      await claude.removeAll(beside.slice(0, -1))
    }
    throw new Error('another host was first')
  }
  const { host } = past.leader!
  const why = `${host} could not be reached: ${self()} has taken the conversation over`
  const live = sessions.openLive(pair)
  if (live !== undefined) {
    await pool.stop(live, why)
    sessions.replace(live, why, text === '' ? 'reset' : 'fork', sessionId)
  } else {
    const origin = text === '' ? 'new' : 'fork'
    // The login of another host is not known here.
    const account = accountLabel(config().teams.get(pair.to)!.account)
    sessions.branchOff(pair, { sessionId, origin, originSession: past.leader!.session, originMessage: null }, account)
  }
  sessions.openLive(pair)?.keepNews(why)
  parts.moved('taken', pair, host, self())
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
