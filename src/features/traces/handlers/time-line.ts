import { type Span, type SpanKind, spanKinds, type Times } from '../contract.ts'

/** What is known about a turn's times; milliseconds since the epoch. */
export interface TurnTimes {
  readonly acceptedAt: number
  readonly firstAt: number | null
  readonly deliveredAt: number | null
  /** When the turn was delivered again, in order. */
  readonly continuedAt: readonly number[]
  readonly startedAt: number | null
  readonly settledAt: number | null
  readonly tools: readonly { readonly startedAt: number; readonly endedAt: number | null; readonly forTeam: boolean }[]
  readonly permissions: readonly { readonly askedAt: number; readonly decidedAt: number | null }[]
}

/** A turn's own time line, and those of the asks it made. */
export interface TimedTree {
  readonly spans: readonly Span[]
  readonly asks: readonly TimedTree[]
}

/** Where spans overlap, the kind that comes first in the list wins. */
const ofTurn: readonly SpanKind[] = ['person', 'team', 'tool', 'interrupted', 'model', 'process', 'queue']
const ofTree: readonly SpanKind[] = ['person', 'tool', 'model', 'process', 'queue', 'interrupted', 'team']

/** What a turn did from its acceptance to its end or to now. Each moment has one kind and counts once. Pure. */
export function timeLine(turn: TurnTimes, now: number): Span[] {
  const end = turn.settledAt ?? now
  const spans = [...groundOf(turn, end)]
  for (const { startedAt, endedAt, forTeam } of turn.tools) {
    const cutOff = endedAt === null ? cutOffAt(turn, startedAt) : undefined
    const kind = cutOff !== undefined ? 'interrupted' : forTeam ? 'team' : 'tool'
    spans.push({ kind, from: startedAt, to: endedAt ?? cutOff ?? end })
  }
  for (const { askedAt, decidedAt } of turn.permissions) {
    spans.push({ kind: 'person', from: askedAt, to: decidedAt ?? end })
  }
  return merged(clipped(spans, [{ from: turn.acceptedAt, to: end }]), ofTurn)
}

/** The latest time at which a tool without a recorded end can have run; undefined while it may still run. Pure. */
export function cutOffAt(turn: Pick<TurnTimes, 'continuedAt' | 'settledAt'>, startedAt: number): number | undefined {
  return turn.continuedAt.find((at) => at >= startedAt) ?? turn.settledAt ?? undefined
}

/**
 * The time line of a tree. Where a turn waited for teams, it shows what these teams did. The result is as long as the
 * root's own time line. Pure.
 */
export function treeTimeLine({ spans, asks }: TimedTree): readonly Span[] {
  const waited = spans.filter(({ kind }) => kind === 'team')
  if (waited.length === 0) return spans
  return merged([...spans, ...clipped(asks.flatMap(treeTimeLine), waited)], ofTree)
}

export function timesOf(spans: readonly Span[]): Times {
  const times = Object.fromEntries(spanKinds.map((kind) => [kind, 0])) as Times
  for (const { kind, from, to } of spans) times[kind] += to - from
  return times
}

/** The base line: queue, process, then the model. A delivery that another one follows was interrupted. */
function* groundOf(turn: TurnTimes, end: number): Iterable<Span> {
  const { acceptedAt, firstAt, deliveredAt, continuedAt, startedAt } = turn
  const first = firstAt ?? deliveredAt ?? end
  yield { kind: 'queue', from: acceptedAt, to: first }
  yield { kind: 'process', from: first, to: deliveredAt ?? end }
  if (deliveredAt === null) return
  const deliveries = [deliveredAt, ...continuedAt]
  for (const [index, at] of deliveries.entries()) {
    const next = deliveries[index + 1]
    const to = next ?? end
    const began = startedAt !== null && startedAt <= to ? Math.max(startedAt, at) : to
    yield { kind: next === undefined || began < to ? 'process' : 'interrupted', from: at, to: began }
    yield { kind: next === undefined ? 'model' : 'interrupted', from: began, to }
  }
}

/** The parts of `spans` that lie within one of `frames`. */
function clipped(spans: readonly Span[], frames: readonly Pick<Span, 'from' | 'to'>[]): Span[] {
  return frames.flatMap((frame) =>
    spans.flatMap(({ kind, from, to }) => {
      const span = { kind, from: Math.max(from, frame.from), to: Math.min(to, frame.to) }
      return span.from < span.to ? [span] : []
    }),
  )
}

/** Spans without overlap: where some overlap, the kind that comes first in `order` wins. */
function merged(spans: readonly Span[], order: readonly SpanKind[]): Span[] {
  const edges = spans.flatMap(({ kind, from, to }) => [
    { at: from, kind, by: 1 },
    { at: to, kind, by: -1 },
  ])
  edges.sort((a, b) => a.at - b.at)
  const open = new Map<SpanKind, number>()
  const line: Span[] = []
  for (const [index, { at, kind, by }] of edges.entries()) {
    open.set(kind, (open.get(kind) ?? 0) + by)
    const to = edges[index + 1]?.at ?? at
    const shown = order.find((each) => (open.get(each) ?? 0) > 0)
    if (shown === undefined || to === at) continue
    const last = line.at(-1)
    if (last?.kind === shown && last.to === at) line[line.length - 1] = { ...last, to }
    else line.push({ kind: shown, from: at, to })
  }
  return line
}
