import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'
import type { ListedTurn } from './use-session-turns.ts'

/** The commands that an agent left running when it answered. */
export function BackgroundCommands({ commands }: { readonly commands: NonNullable<ListedTurn['background']> }) {
  return (
    <section aria-label={texts.leftRunning} className="text-muted mt-2 text-xs">
      <p>{texts.stillRunningInThe}</p>
      <ul className="mt-1 flex flex-col gap-1">
        {commands.map(({ command, since }, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-2">
            <code className="bg-raised min-w-0 rounded px-1 font-mono wrap-anywhere">{command}</code>
            <span>
              {texts.started}
              <TimeSince at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
