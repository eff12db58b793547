import { type Context, Hono } from 'hono'
import type { Observable } from 'rxjs'
import type { Clock } from '../../../base/lib/clock.ts'
import type { RecentLog } from '../../../base/lib/recent-log.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { LiveTurn } from '../../../base/protocol/live-turn.ts'
import type { Pair } from '../../../base/protocol/pair.ts'
import type { KeptEvent } from '../../../features/events/contract.ts'
import type { Call } from '../../../kernel/call/call.ts'
import type { Operations } from '../../../kernel/call/operations.ts'
import { isRestricted, listedAsker } from '../../../kernel/call/policy.ts'
import type { Principal } from '../../../kernel/call/principal.ts'
import type { Vitals } from '../../../platform/metrics/vitals.ts'
import type { Routes } from '../routes.ts'
import { type Audience, BatchCache } from './batch-cache.ts'
import { EventLog, type PublishedRows } from './event-log.ts'
import type { Filter } from './filter.ts'
import type { Batch } from './frame.ts'
import { logLevelsOf, readLog, together } from './log-reader.ts'
import { type KeptEvents, numberIn, read } from './reader.ts'
import { SharedState } from './shared-state.ts'
import { toServerSentEvents } from './sse.ts'
import { toWebSocket } from './web-socket.ts'

/** Tells which conversations belong to a person in a browser. */
export interface Own {
  readonly name: string
  readonly isOwn: (pair: Pair) => boolean
}

export interface StreamParts {
  readonly operations: Operations
  readonly clock: Clock
  readonly recentLog: RecentLog
  readonly vitals: Pick<Vitals, 'readers'>
  /** The texts that are being written at this moment. */
  readonly liveTurns: () => LiveTurn[]
  /** What belongs to a person in a browser. */
  readonly ownOf: (principal: Principal) => Own
  readonly events$: Observable<PublishedEvent>
  readonly keptEvents: KeptEvents & { readonly epoch: string }
  readonly publishedRows: PublishedRows
}

/**
 * `GET /api/stream`, as Server-Sent Events or as a WebSocket: the current state, then every event. For programs and the
 * owner.
 */
export function createStream(given: StreamParts): Routes {
  const { operations, events$, liveTurns, publishedRows, vitals, recentLog, ownOf, keptEvents } = given
  const clock = given.clock.machine
  const log = new EventLog({ events$, clock, liveTurns, publishedRows, readers: vitals.readers })
  const { epoch } = keptEvents
  const cache = new BatchCache(log, epoch)
  const shared = new SharedState(log, clock)
  // A principal is plain data, so it identifies its rights: readers with the same principal see the same state.
  const stateFor = (call: Call) =>
    shared.of(JSON.stringify([call.auth.principal, call.auth.team]), () => operations.call('team_status', {}, call))
  const stream: Routes = new Hono()
  stream.get('/api/viewer/stream', (context) => {
    const { principal } = context.get('auth')
    if (!principal.roles.includes('viewer')) throw notForAgents()
    const left = new AbortController()
    const over = context.get('loginOver')
    const signal = AbortSignal.any([left.signal, context.req.raw.signal, ...(over ? [over] : [])])
    const parts = { log, cache, clock, epoch, snapshot: async () => ({}), kept: keptEvents }
    const audience = viewersAudience(ownOf(principal))
    return toServerSentEvents(read(parts, audience, context.req.header('last-event-id'), signal), () => left.abort())
  })
  return stream.get('/api/stream', (context) => {
    const auth = context.get('auth')
    const asker = listedAsker(auth.principal)
    if (asker === undefined && isRestricted(auth.principal)) throw notForAgents()
    const left = new AbortController()
    const end = (): void => left.abort()
    const over = context.get('loginOver')
    const signal = AbortSignal.any([left.signal, context.req.raw.signal, ...(over ? [over] : [])])
    const call: Call = { auth, signal, progress: () => {}, idempotencyKey: undefined, isWhole: true }
    const parts = {
      log,
      cache,
      clock,
      epoch,
      kept: context.req.query('kept') === 'false' ? undefined : keptEvents,
      snapshot: async () => (asker === undefined ? stateFor(call) : {}),
    }
    const after = context.req.header('last-event-id') ?? context.req.query('after')
    const answer = (batches: AsyncGenerator<Batch, void>) =>
      context.req.header('upgrade') === undefined
        ? toServerSentEvents(batches, end)
        : toWebSocket(context, batches, given.clock, end)
    const levels = logLevelsOf(context.req.query('logs'))
    const isLogAlone = levels !== undefined && context.req.query('only') === 'logs'
    const filter = filterOf(context)
    const isOwner = auth.principal.roles.includes('owner')
    const audience = asker === undefined ? audienceOf(isOwner, filter) : programsAudience(asker, filter)
    const events = read(parts, audience, after, signal)
    if (levels === undefined) return answer(events)
    if (asker !== undefined) throw notForPrograms()
    const reader = { ring: recentLog, clock, epoch, levels, hasIds: isLogAlone }
    const lines = readLog(reader, isLogAlone ? numberIn(after, epoch) : undefined, signal)
    return answer(isLogAlone ? lines : together(events, lines, end))
  })
}

function audienceOf(isOwner: boolean, filter: Filter): Audience {
  const maySee = ({ type }: PublishedEvent | KeptEvent): boolean => isOwner || !type.startsWith('permission:')
  return { name: JSON.stringify({ isOwner, filter }), maySee, mayRead: () => true, hearsLines: true, filter }
}

/**
 * The events that viewers and programs with their own token get about their own turns, in addition to the text. They
 * get no lines of Claude Code.
 */
const turnEvents: ReadonlySet<string> = new Set(['turn-accepted', 'turn-delivered', 'turn-settled', 'turn-reported'])

function viewersAudience({ name, isOwn }: Own): Audience {
  return {
    name: `viewer ${name}`,
    maySee: (event) => turnEvents.has(event.type) && 'from' in event && isOwn(event),
    shown: shownToViewers,
    mayRead: isOwn,
    filter: {},
  }
}

/** The events for a program with its own token: those about its own turns, and the text of these turns. */
function programsAudience(asker: string, filter: Filter): Audience {
  return {
    name: `${asker} ${JSON.stringify(filter)}`,
    maySee: (event) => turnEvents.has(event.type) && 'from' in event && event.from === asker,
    mayRead: ({ from }) => from === asker,
    filter,
  }
}

/** Shows only that something happened. Only the owner may see why a message failed and what it used. */
function shownToViewers(event: PublishedEvent | KeptEvent): object {
  const { type, sequence, at, turnId, to, thread } = event as Extract<PublishedEvent, { type: 'turn-settled' }>
  return { type, sequence, at, turnId, to, thread }
}

function filterOf({ req }: Pick<Context, 'req'>): Filter {
  const { team, session, turn } = req.queries()
  return { ...(team && { team }), ...(session && { session }), ...(turn && { turn }) }
}

function notForPrograms(): IrisError {
  return new IrisError('not_allowed', 'Programs with their own token cannot read the log.', 'Leave logs out.')
}

function notForAgents(): IrisError {
  return new IrisError('not_allowed', 'Agents cannot read the stream of events.', 'Ask the person who owns this Iris.')
}
