import { duration } from '../../shared/format/durations.ts'
import { clockTime } from '../../shared/format/times.ts'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** Shorter waits are not shown. */
const shortMs = 100

/** When a message was accepted, given to Claude Code, begun and answered, and how long each step took. */
export function Receipts({ turn }: { readonly turn: ListedTurn }) {
  const { acceptedAt, dispatchedAt, startedAt, settledAt, personMs, status } = turn
  const words = texts.steps
  const steps: (readonly [string, number, string | undefined])[] = [[words.accepted, acceptedAt, undefined]]
  if (dispatchedAt !== undefined) {
    const waited = dispatchedAt - acceptedAt
    steps.push([words.delivered, dispatchedAt, waited < shortMs ? undefined : words.waited(duration(waited))])
  }
  if (startedAt !== undefined) steps.push([words.begun, startedAt, undefined])
  if (settledAt !== undefined) {
    const word = status === 'completed' ? words.answered : words.ended
    steps.push([word, settledAt, words.after(duration(settledAt - acceptedAt))])
  }
  return (
    <ol aria-label={texts.receipts} className="text-muted flex flex-wrap gap-x-3">
      {steps.map(([name, at, after]) => (
        <li key={name}>
          {name} <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time>
          {after !== undefined && ` (${after})`}
        </li>
      ))}
      {personMs !== undefined && <li>{words.asked(duration(personMs))}</li>}
    </ol>
  )
}
