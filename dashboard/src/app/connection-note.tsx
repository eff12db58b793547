import { useConnection } from '../shared/stream/live-provider.tsx'
import { texts } from './texts.ts'

/** Whether the page shows the present state. */
export function ConnectionNote() {
  const connection = useConnection()
  const tone = connection === 'live' ? 'bg-good' : connection === 'connecting' ? 'bg-busy' : 'bg-bad'
  return (
    <span role="status" className="text-muted inline-flex min-w-0 items-center gap-1.5 text-xs">
      <span className={`${tone} size-2 shrink-0 rounded-full`} />
      <span className="truncate">{texts.connections[connection]}</span>
    </span>
  )
}

/** The command that makes a link for this address. On another machine, only a link for the public address works. */
function linkCommand(): string {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
  return texts.linkCommands[isHere ? 'here' : 'elsewhere']
}

/** Says what to do if waiting does not help, and otherwise why the page does not change. */
export function ConnectionBanner() {
  const connection = useConnection()
  if (connection === 'live' || connection === 'connecting') return null
  return (
    <div role="alert" className="bg-warn text-page px-4 py-2 text-center font-medium">
      {connection === 'refused' ? texts.youAreSignedOut(linkCommand()) : texts.irisDoesNotAnswer}
    </div>
  )
}
