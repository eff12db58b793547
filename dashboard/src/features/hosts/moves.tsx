import type { Output } from '../../shared/api/operations.ts'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

/** Conversations that moved from one host to another, the newest first. */
export function Moves({ moves }: { readonly moves: Output<'cluster_status'>['moves'] }) {
  return (
    <section aria-label={texts.moves} className="border-line bg-panel min-w-0 rounded-lg border p-4">
      <h2 className="font-semibold">{texts.moves}</h2>
      {moves.length === 0 && <p className="text-muted">{texts.noMoves}</p>}
      <ul className="divide-line divide-y">
        {moves.map(({ at, kind, from, to, thread, formerHost, host }) => (
          <li key={`${at} ${kind} ${from} ${to} ${thread}`} className="flex flex-wrap gap-x-3 py-2">
            <span className="text-muted">
              <TimeSince at={at} />
            </span>
            <span className="min-w-0 wrap-anywhere">
              {texts.conversation(from, to, thread)}: {texts.kinds[kind](formerHost, host)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
