import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './app/router.tsx'
import { applyTheme, currentTheme } from './app/theme.ts'
import { queryClient } from './shared/api/query-client.ts'
import { LiveProvider } from './shared/stream/live-provider.tsx'
import './shared/theme.css'

applyTheme(currentTheme())
/** Iris marks the page of a person who only chats. */
const chatsOnly = document.querySelector('meta[name="iris-viewer"]') !== null
if (chatsOnly) void import('./app/viewer-app.tsx').then(({ ViewerApp }) => show(<ViewerApp />))
else {
  // The worker shows a page when Iris does not answer. A browser that has no workers, or refuses this one, shows its
  // own error page.
  addEventListener('load', () => void navigator.serviceWorker?.register('/worker.js').catch(() => undefined))
  show(
    <QueryClientProvider client={queryClient}>
      <LiveProvider>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>,
  )
}

function show(app: ReactNode): void {
  const root = createRoot(document.getElementById('app')!)
  // Renders in slices, so that key presses need not wait for the whole page.
  startTransition(() => root.render(<StrictMode>{app}</StrictMode>))
}
