import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Pair } from '../../../base/protocol/pair.ts'
import type { ChangedFile, TurnResult } from '../../../base/protocol/turn.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import type { DriftedFile } from '../../../platform/store/answer-files.ts'
import type { findPatterns, listDrift } from '../contract/insight.ts'
import type { Drift } from '../drift.ts'
import type { Insight } from '../insight.ts'

/** The dependencies of these operations. */
export interface InsightParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly insight: Pick<Insight, 'patterns' | 'reflect' | 'use'>
  readonly drift: Pick<Drift, 'report' | 'compare' | 'rows'>
}

type Output = z.output<typeof findPatterns.output>

type Found = Omit<Output, 'since' | 'until' | 'isOn' | 'timestamp'>

const noPatterns: Found = {
  read: { asks: 0, tools: 0, questions: 0 },
  repeated: [],
  chains: [],
  failing: [],
  peaks: [],
  slowTools: [],
  alwaysAllowed: [],
}

const usualPeriodMs = 30 * 86_400_000

export async function patterns(input: z.output<typeof findPatterns.input>, parts: InsightParts): Promise<Output> {
  const { team, offsetMinutes = 0 } = input
  const isOn = parts.config().insight.patterns
  knownParticipants([team], parts)
  const now = parts.clock.now()
  const until = Math.min(input.until ?? now, now)
  const since = Math.min(input.since ?? now - usualPeriodMs, until)
  const found = isOn ? await parts.insight.patterns({ since, until, team }, offsetMinutes) : noPatterns
  return { since, until, ...(found as Found), isOn, timestamp: now }
}

const usualDrifted = 100

/**
 * list_drift: compares the projects on this machine first. A project on another machine is compared only if its team is
 * named.
 */
export async function driftOf(
  { team, since, limit = usualDrifted }: z.output<typeof listDrift.input>,
  parts: InsightParts,
): Promise<z.output<typeof listDrift.output>> {
  const { config, clock, drift } = parts
  knownParticipants([team], parts)
  const teams = [...config().teams.values()].filter(({ name, remote }) => name === team || remote === undefined)
  await drift.compare(teams.map(({ name }) => name))
  const now = clock.now()
  const from = Math.min(since ?? now - usualPeriodMs, now)
  const changed = drift.rows.list(from, team, limit).map((file) => ({
    ...changedFile(file),
    from: file.from,
    to: file.to,
    thread: file.thread,
    sessionId: file.sessionId,
    turnId: file.turn,
    message: file.message,
    answeredAt: file.answeredAt,
    answers: file.answers,
  }))
  return { since: from, changed, isOn: config().insight.drift, timestamp: now }
}

/** Files behind the pair's earlier answers that have changed since; each change is reported once. */
export function changedSince(
  answer: Pair & Pick<TurnResult, 'turnId'>,
  { drift }: InsightParts,
): Pick<TurnResult, 'changedSince'> {
  const files = drift.report(answer, answer.turnId)
  if (files.length === 0) return {}
  return {
    changedSince: files.map((file) => ({
      ...changedFile(file),
      turnId: file.turn,
      message: file.message,
      answeredAt: file.answeredAt,
    })),
  }
}

/** The changed files of these turns, by turn. */
export function changedFilesOf(turns: readonly string[], { drift }: InsightParts): ReadonlyMap<string, ChangedFile[]> {
  const byTurn = Map.groupBy(drift.rows.ofTurns(turns), ({ turn }) => turn)
  return new Map([...byTurn].map(([turn, files]) => [turn, files.map(changedFile)]))
}

function changedFile({
  path,
  changedAt,
  commit,
  author,
}: Pick<DriftedFile, 'path' | 'changedAt' | 'commit' | 'author'>): ChangedFile {
  return { path, changedAt, ...(commit !== null && { commit }), ...(author !== null && { author }) }
}
