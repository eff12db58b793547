import { Link } from '@tanstack/react-router'
import type { Output } from '../../shared/api/operations.ts'
import { texts } from './texts.ts'

export const places = ['inbox', 'later', 'done', 'expired'] as const
export type InboxPlace = (typeof places)[number]

export function placeOf(name: string | undefined): InboxPlace {
  return places.find((place) => place === name) ?? 'inbox'
}

interface PlaceTabsProps {
  readonly current: InboxPlace
  readonly counts: Output<'list_inbox'>['places'] | undefined
}

/** The lists of the inbox, each with the number of its entries. */
export function PlaceTabs({ current, counts }: PlaceTabsProps) {
  return (
    <nav aria-label={texts.placesOfTheInbox} className="flex flex-wrap gap-1">
      {places.map((place) => (
        <Link
          key={place}
          to="/"
          search={place === 'inbox' ? {} : { place }}
          activeOptions={{ exact: true, includeSearch: true }}
          data-current={place === current || undefined}
          className="hover:bg-raised data-current:bg-raised flex min-h-8 items-center gap-1.5 rounded-md px-2.5 data-current:font-semibold max-sm:min-h-10"
        >
          {texts.places[place]}
          <span className="text-muted text-xs">{counts?.[place]}</span>
        </Link>
      ))}
    </nav>
  )
}
