import { Link } from '@tanstack/react-router'
import { Icon } from '../shared/ui/icon.tsx'
import { InTurn } from '../shared/ui/in-turn.tsx'
import { NeedsCount, PendingCount } from './pending-count.tsx'
import { screens } from './screens.ts'
import { texts } from './texts.ts'

interface NavigationProps {
  readonly isOpen: boolean
  /** Also called when the chosen screen is already shown. */
  readonly onChoose: () => void
}

/** On a narrow screen, the navigation is shown only while it is open. */
export function Navigation({ isOpen, onChoose }: NavigationProps) {
  return (
    <nav
      id="screens"
      aria-label={texts.screens}
      className={`${isOpen ? '' : 'hidden'} max-h-[75dvh] overflow-y-auto px-2 py-2 lg:block lg:max-h-none lg:pt-0`}
    >
      <ul className="flex flex-col gap-0.5">
        {screens.map(({ to, icon }) => (
          <InTurn key={to}>
            <li>
              <Link
                to={to}
                onClick={onChoose}
                activeOptions={{ exact: to === '/' }}
                className="hover:bg-raised data-[status=active]:bg-raised flex items-center gap-2 rounded-md px-2 py-1.5 data-[status=active]:font-semibold"
              >
                <Icon name={icon} />
                <span className="flex-1">{texts.screenNames[icon]}</span>
                {to === '/' && <NeedsCount />}
                {to === '/permissions' && <PendingCount />}
              </Link>
            </li>
          </InTurn>
        ))}
      </ul>
    </nav>
  )
}
