import type { ReactNode } from 'react'
import { askerName, chatOf } from '../format/asker.ts'
import { TroubleMark } from './broken-teams.tsx'
import { Icon } from './icon.tsx'
import { useTeamColor } from './team-colors-provider.tsx'
import { useAskerNames } from './use-asker-names.ts'

/** A participant's name with its colour; for somebody in a chat, with the symbol of a chat. */
export function TeamName({ name }: { readonly name: string }) {
  return chatOf(name) === undefined ? <PlainName name={name} /> : <ChatName name={name} />
}

function PlainName({ name }: { readonly name: string }) {
  const color = useTeamColor(name)
  return (
    <Named name={name} shown={askerName(name)}>
      <span className="size-2.5 shrink-0 rounded-full" style={{ background: color }} />
    </Named>
  )
}

function ChatName({ name }: { readonly name: string }) {
  const shown = useAskerNames([name])(name)
  return (
    <Named name={name} shown={shown}>
      <Icon name="chat" className="text-muted size-4 shrink-0" />
    </Named>
  )
}

interface NamedProps {
  readonly name: string
  readonly shown: string
  readonly children: ReactNode
}

function Named({ name, shown, children }: NamedProps) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" {...(shown !== name && { title: name })}>
      {children}
      <bdi className="truncate">{shown}</bdi>
      <TroubleMark team={name} />
    </span>
  )
}
