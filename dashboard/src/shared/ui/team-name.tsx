import { chatOf } from '../format/asker.ts'
import { TroubleMark } from './broken-teams.tsx'
import { Icon } from './icon.tsx'
import { useTeamColor } from './team-colors.ts'
import { useAskerNames } from './use-asker-names.ts'

/** A participant's name with its colour; for somebody in a chat, with the symbol of a chat. */
export function TeamName({ name }: { readonly name: string }) {
  const color = useTeamColor(name)
  const shown = useAskerNames([name])(name)
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" {...(shown !== name && { title: name })}>
      {chatOf(name) === undefined ? (
        <span className="size-2.5 shrink-0 rounded-full" style={{ background: color }} />
      ) : (
        <Icon name="chat" className="text-muted size-4 shrink-0" />
      )}
      <bdi className="truncate">{shown}</bdi>
      <TroubleMark team={name} />
    </span>
  )
}
