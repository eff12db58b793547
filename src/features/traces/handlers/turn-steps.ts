import { fileSize } from '../../../base/lib/file-size.ts'
import { visible } from '../../../base/lib/visible.ts'
import { external } from '../../../base/protocol/pair.ts'
import type { TracedTurn, TurnSummaryView } from '../contract.ts'

interface Step {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

function messageOf(asker: string): string {
  return asker === external ? 'your message' : `the message of ${asker}`
}

/** The steps of a turn in words, in order of time; `asks` are the asks that its agent made. Pure. */
export function turnSteps(turn: TracedTurn, asks: readonly TurnSummaryView[]): Step[] {
  const { firstAt, deliveredAt, startedAt, reason: why } = turn
  const steps: Step[] = [
    { at: turn.acceptedAt, text: `Iris accepted ${messageOf(turn.from)} for ${turn.to}.` },
    ...at(turn.attachments ? turn.acceptedAt : null, `It came with files: ${filesText(turn)}.`),
    ...at(firstAt, 'It reached the front of its queue, and Iris got a process ready.'),
    ...at(deliveredAt, 'It was given to Claude Code.'),
    ...at(startedAt, 'Claude Code began to work on it.'),
    ...turn.continuedAt.map((time) => ({
      at: time,
      text: 'It had been cut off, so Iris had Claude Code continue it.',
    })),
    ...turn.tools.flatMap((tool) => toolSteps(tool, turn)),
    ...turn.permissions.flatMap(permissionSteps),
    ...asks.flatMap(askSteps),
    ...at(
      turn.settledAt,
      `It ended: ${turn.status}${why === null || why === turn.status ? '' : ` (${why})`}. ${turn.detail ?? ''}`.trim(),
    ),
    ...(turn.changedSince ?? []).map(({ path, changedAt, commit, author }) => ({
      at: changedAt,
      text: `${path}, which the answer relied on, has changed${byCommit(commit, author)}.`,
    })),
    ...at(turn.givenAgain?.lastAt ?? null, `The answer was reused: ${timesText(turn.givenAgain?.times)} so far.`),
  ]
  return steps.toSorted((a, b) => a.at - b.at)
}

function filesText({ attachments = [] }: TracedTurn): string {
  return attachments.map(({ name, bytes }) => `${visible(name)} (${fileSize(bytes)})`).join(', ')
}

function timesText(times = 0): string {
  return times === 1 ? 'once' : `${times} times`
}

/** Adds the commit's id and its author, a text that anybody may have written. */
function byCommit(commit: string | undefined, author: string | undefined): string {
  if (commit === undefined) return ''
  return ` in ${commit.slice(0, 8)}${author === undefined ? '' : ` by ${visible(author)}`}`
}

function at(time: number | null, text: string): Step[] {
  return time === null ? [] : [{ at: time, text }]
}

function toolSteps(tool: TracedTurn['tools'][number], { status, permissions }: TracedTurn): Step[] {
  const { toolUseId, name, input, startedAt, endedAt, isError, state } = tool
  // A denied tool has not run, and its denial says how it ended.
  const wasRefused = permissions.some((asked) => asked.toolUseId === toolUseId && refusals.has(asked.state))
  const end = status === 'cancelled' ? ' It was cut off with the message.' : ' How it ended is not known.'
  return [
    {
      at: startedAt,
      text: `${[name, input].filter(Boolean).join(': ')}.${state === 'cut_off' && !wasRefused ? end : ''}`,
    },
    ...at(endedAt, `${name} ended${isError ? ' with an error' : ''}.`),
  ]
}

function permissionSteps(permission: TracedTurn['permissions'][number]): Step[] {
  const { toolName, askedAt, decidedAt, decidedBy, state } = permission
  return [
    { at: askedAt, text: `A person was asked whether ${toolName} may run.` },
    ...at(decidedAt, `${toolName}: ${decided[state]} by ${decidedBy}.`),
  ]
}

const refusals: ReadonlySet<string> = new Set(['denied', 'timed_out', 'ended'])

const decided = {
  pending: 'waits',
  allowed: 'allowed',
  denied: 'denied',
  timed_out: 'denied, because nobody answered in time,',
  ended: 'not asked any more: ended',
}

function askSteps({ to, turnId, status, acceptedAt, settledAt }: TurnSummaryView): Step[] {
  return [
    { at: acceptedAt, text: `It asked ${to} (turn ${turnId}).` },
    ...at(settledAt, `Its message to ${to} ended: ${status}.`),
  ]
}
