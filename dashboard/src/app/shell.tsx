import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { NeedEvents } from '../features/permissions/need-events.tsx'
import { MessageDialogProvider } from '../shared/message/message-dialog.tsx'
import { BrokenTeamsProvider } from '../shared/ui/broken-teams.tsx'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { NoticesProvider } from '../shared/ui/notices.tsx'
import { TeamColorsProvider } from '../shared/ui/team-colors-provider.tsx'
import { BrokenStrip } from './broken-strip.tsx'
import { ConnectionBanner, ConnectionNote } from './connection-note.tsx'
import { Navigation } from './navigation.tsx'
import { PaletteButton, PaletteKey } from './palette/palette-key.tsx'
import { InboxLink } from './pending-count.tsx'
import { texts } from './texts.ts'
import { ThemeButton } from './theme-button.tsx'

/**
 * The frame of every screen: the navigation, and whether Iris is reachable. On a narrow screen the navigation is at the
 * bottom, where a thumb reaches it.
 */
export function Shell() {
  const [isOpen, setOpen] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)
  useEffect(() => {
    // A person with a keyboard or a screen reader then starts at the top of the new screen.
    if (first.current) first.current = false
    else main.current?.focus()
  }, [path])
  return (
    <NoticesProvider>
      <BrokenTeamsProvider>
        <TeamColorsProvider>
          <MessageDialogProvider>
            <NeedEvents />
            <Button
              look="primary"
              className="fixed top-2 left-2 z-40 not-focus:sr-only"
              onClick={() => main.current?.focus()}
            >
              {texts.skipToTheContent}
            </Button>
            <div className="flex min-h-dvh flex-col lg:h-dvh lg:flex-row">
              <header className="border-line bg-panel sticky bottom-0 z-20 order-last flex shrink-0 flex-col-reverse border-t pb-[env(safe-area-inset-bottom)] lg:static lg:order-none lg:w-52 lg:flex-col lg:border-t-0 lg:border-r lg:pb-0">
                <div className="flex h-12 items-center gap-2 px-3">
                  <IconButton
                    label={isOpen ? texts.closeTheMenu : texts.openTheMenu}
                    aria-expanded={isOpen}
                    aria-controls="screens"
                    className="lg:hidden"
                    onClick={() => setOpen(!isOpen)}
                  >
                    <Icon name={isOpen ? 'close' : 'menu'} />
                  </IconButton>
                  <span className="flex-1 text-base font-semibold">{texts.iris}</span>
                  <InboxLink />
                  <PaletteButton setOpen={setSearching} />
                  <ConnectionNote />
                  <ThemeButton />
                </div>
                <PaletteKey isOpen={isSearching} setOpen={setSearching} />
                <Navigation isOpen={isOpen} onChoose={() => setOpen(false)} />
              </header>
              <main
                ref={main}
                // Some screens have nothing else to focus: without this the keyboard could not scroll them.
                tabIndex={0}
                className="flex min-w-0 flex-1 flex-col -outline-offset-2 has-[[data-strip]]:[--strip:3.5rem] lg:min-h-0 lg:overflow-auto"
              >
                <ConnectionBanner />
                <BrokenStrip />
                <Outlet />
              </main>
            </div>
          </MessageDialogProvider>
        </TeamColorsProvider>
      </BrokenTeamsProvider>
    </NoticesProvider>
  )
}
