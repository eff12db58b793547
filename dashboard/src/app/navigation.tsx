import { Link } from '@tanstack/react-router'
import { Icon, type IconName } from '../shared/ui/icon.tsx'
import { PendingCount } from './pending-count.tsx'

/** The screens, in the order in which they are listed. */
const screens = [
  { to: '/', name: 'Switchboard', icon: 'switchboard' },
  { to: '/conversations', name: 'Conversations', icon: 'conversations' },
  { to: '/traces', name: 'Traces', icon: 'traces' },
  { to: '/permissions', name: 'Permissions', icon: 'permissions' },
  { to: '/logs', name: 'Logs', icon: 'logs' },
  // `/health` is the daemon's own sign of life.
  { to: '/daemon', name: 'Health', icon: 'health' },
  { to: '/statistics', name: 'Statistics', icon: 'statistics' },
  { to: '/configuration', name: 'Configuration', icon: 'configuration' },
  { to: '/debug', name: 'Debug', icon: 'debug' },
] as const satisfies readonly { to: string; name: string; icon: IconName }[]

interface NavigationProps {
  readonly isOpen: boolean
  /** The screen that is shown may be chosen too. */
  readonly onChoose: () => void
}

/** On a narrow screen it is there only while it is open. */
export function Navigation({ isOpen, onChoose }: NavigationProps) {
  return (
    <nav id="screens" aria-label="Screens" className={`${isOpen ? '' : 'hidden'} px-2 pb-2 lg:block`}>
      <ul className="flex flex-col gap-0.5">
        {screens.map(({ to, name, icon }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onChoose}
              activeOptions={{ exact: to === '/' }}
              className="hover:bg-raised data-[status=active]:bg-raised flex items-center gap-2 rounded-md px-2 py-1.5 data-[status=active]:font-semibold"
            >
              <Icon name={icon} />
              <span className="flex-1">{name}</span>
              {to === '/permissions' && <PendingCount />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
