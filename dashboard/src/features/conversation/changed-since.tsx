import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** The files that the answer relied on and that have changed since. */
export function ChangedSince({ turn: { changedSince } }: { readonly turn: ListedTurn }) {
  if (changedSince === undefined) return null
  return (
    <ul aria-label={texts.changedSinceThisAnswer} className="text-warn mt-2 text-xs">
      {changedSince.map(({ path, changedAt, commit, author }) => (
        <li key={path}>
          <code className="wrap-anywhere">{path}</code>
          {texts.hasChanged}
          <TimeSince at={changedAt} />
          {commit !== undefined && texts.changedIn(commit.slice(0, 8))}
          {author !== undefined && texts.changedBy(author)}
        </li>
      ))}
    </ul>
  )
}
