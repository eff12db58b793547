import { askerName } from '../format/asker.ts'
import { useTeamColor } from './team-colors.ts'

/** A participant's name with its colour. */
export function TeamName({ name }: { readonly name: string }) {
  const color = useTeamColor(name)
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span className="size-2.5 shrink-0 rounded-full" style={{ background: color }} />
      <span className="truncate">{askerName(name)}</span>
    </span>
  )
}
