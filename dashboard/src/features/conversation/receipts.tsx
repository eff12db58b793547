import { duration } from '../../shared/format/figures.ts'
import { clockTime } from '../../shared/format/times.ts'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** Nobody waits so long. */
const shortMs = 100

/** When it was accepted, given to Claude Code, begun and answered, and how long that took. */
export function Receipts({ turn }: { readonly turn: ListedTurn }) {
  const { acceptedAt, dispatchedAt, startedAt, settledAt, status } = turn
  const steps: (readonly [string, number, string | undefined])[] = [['accepted', acceptedAt, undefined]]
  if (dispatchedAt !== undefined) {
    const waited = dispatchedAt - acceptedAt
    steps.push(['delivered', dispatchedAt, waited < shortMs ? undefined : `waited ${duration(waited)}`])
  }
  if (startedAt !== undefined) steps.push(['begun', startedAt, undefined])
  if (settledAt !== undefined) {
    steps.push([status === 'completed' ? 'answered' : 'ended', settledAt, `after ${duration(settledAt - acceptedAt)}`])
  }
  return (
    <ol aria-label={texts.receipts} className="text-muted flex flex-wrap gap-x-3">
      {steps.map(([name, at, after]) => (
        <li key={name}>
          {name} <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
          {after !== undefined && ` (${after})`}
        </li>
      ))}
    </ol>
  )
}
