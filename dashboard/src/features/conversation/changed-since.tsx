import { TimeSince } from '../../shared/ui/time-since.tsx'
import type { ListedTurn } from './use-session-turns.ts'

/** The files that changed since the answer relied on them. */
export function ChangedSince({ turn: { changedSince } }: { readonly turn: ListedTurn }) {
  if (changedSince === undefined) return null
  return (
    <ul aria-label="Changed since this answer" className="text-warn mt-2 text-xs">
      {changedSince.map(({ path, changedAt, commit, author }) => (
        <li key={path}>
          <code className="wrap-anywhere">{path}</code> has changed <TimeSince at={changedAt} />
          {commit !== undefined && ` in ${commit.slice(0, 8)}`}
          {author !== undefined && ` by ${author}`}
        </li>
      ))}
    </ul>
  )
}
