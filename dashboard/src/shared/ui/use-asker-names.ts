import type { Output } from '../api/operations.ts'
import { useOperation } from '../api/use-operation.ts'
import { askerName, chatOf } from '../format/asker.ts'

type Channel = Output<'list_channels'>['channels'][number]

/** Names those who ask: a person in a chat as the channel knows them, everybody else as `askerName` does. */
export function useAskerNames(askers: readonly string[]): (asker: string) => string {
  const hasChats = askers.some((asker) => isOfChannel(chatOf(asker)?.place))
  const { data } = useOperation('list_channels', {}, { enabled: hasChats })
  return (asker) => nameIn(data?.channels ?? [], asker) ?? askerName(asker)
}

/** The name that the platform shows for the person whose own chat this is; undefined if the channels know no name. */
export function nameIn(
  channels: readonly Pick<Channel, 'platform' | 'allowed' | 'pending'>[],
  asker: string,
): string | undefined {
  const chat = chatOf(asker)
  if (chat === undefined) return undefined
  // For people whom config.yaml allows, only the id is known.
  const people = channels
    .filter(({ platform }) => platform === chat.place)
    .flatMap(({ allowed, pending }) => [...allowed.filter(({ since }) => since !== 0), ...pending])
  return people.find(({ sender }) => sender === chat.id)?.name
}

function isOfChannel(place: string | undefined): boolean {
  return place !== undefined && place !== 'viewer' && place !== 'forward'
}
