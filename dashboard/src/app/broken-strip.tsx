import { Link } from '@tanstack/react-router'
import { useBroken } from '../shared/ui/broken-teams.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { texts } from './texts.ts'

/** The page on which a person fixes each problem. */
const places = {
  configuration: { to: '/configuration', name: texts.screenNames.configuration },
  directory: { to: '/daemon', name: texts.screenNames.health },
  machine: { to: '/hosts', name: texts.screenNames.hosts },
  channel: { to: '/channels', name: texts.screenNames.channels },
  account: { to: '/daemon', name: texts.screenNames.health },
} as const

/** On top of every page: the first thing that does not work, what to do, and how many more there are. */
export function BrokenStrip() {
  const [first, ...others] = useBroken() ?? []
  if (first === undefined) return null
  const place = places[first.kind]
  return (
    <section
      aria-label={texts.whatIsBroken}
      data-strip
      className="border-warn/50 bg-panel flex h-14 items-center overflow-hidden lg:h-auto lg:flex-wrap gap-x-3 gap-y-1 border-b px-4 py-2"
    >
      <Icon name="warning" className="text-warn size-5 shrink-0" />
      <p className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
        <b className="font-semibold">{first.what}</b> <span className="text-muted">{first.remedy}</span>
      </p>
      <Link to={place.to} className="text-accent underline">
        {texts.openScreen(place.name)}
      </Link>
      {others.length > 0 && (
        <Link to="/daemon" className="text-accent hidden underline lg:inline">
          {texts.moreIsBroken(others.length)}
        </Link>
      )}
    </section>
  )
}
