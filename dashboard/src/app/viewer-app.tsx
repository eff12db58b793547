import { QueryClientProvider } from '@tanstack/react-query'
import { ChatScreen } from '../features/chat/chat-screen.tsx'
import { queryClient } from '../shared/api/query-client.ts'
import { useOperation } from '../shared/api/use-operation.ts'
import { Button } from '../shared/ui/button.tsx'
import { NoticesProvider } from '../shared/ui/notices.tsx'
import { texts } from './texts.ts'
import { ThemeButton } from './theme-button.tsx'

/** The whole page of a person who only chats. */
export function ViewerApp() {
  return (
    <QueryClientProvider client={queryClient}>
      <NoticesProvider>
        <div className="flex h-dvh flex-col">
          <Header />
          <main className="flex min-h-0 flex-1 flex-col">
            <ChatScreen />
          </main>
        </div>
      </NoticesProvider>
    </QueryClientProvider>
  )
}

function Header() {
  const { data } = useOperation('viewer_overview', {})
  const signOut = async (): Promise<void> => {
    await fetch('/logout', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    location.reload()
  }
  return (
    <header className="border-line bg-panel flex h-12 shrink-0 items-center gap-2 border-b px-3">
      <span className="flex-1 text-base font-semibold">{texts.iris}</span>
      {data && <span className="text-muted">{data.name}</span>}
      <ThemeButton />
      <Button onClick={() => void signOut()}>{texts.signOut}</Button>
    </header>
  )
}
