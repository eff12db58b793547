import { TimeSince } from '../../shared/ui/time-since.tsx'
import type { ListedTurn } from './use-session-turns.ts'

/** What an agent left running when it had answered. */
export function BackgroundCommands({ commands }: { readonly commands: NonNullable<ListedTurn['background']> }) {
  return (
    <section aria-label="Left running" className="text-muted mt-2 text-xs">
      <p>Still running in the background when this was answered:</p>
      <ul className="mt-1 flex flex-col gap-1">
        {commands.map(({ command, since }, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-2">
            <code className="bg-raised min-w-0 rounded px-1 font-mono wrap-anywhere">{command}</code>
            <span>
              started <TimeSince at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
