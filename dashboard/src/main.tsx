import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { router } from './app/router.tsx'
import { applyTheme, currentTheme } from './app/theme.ts'
import { queryClient } from './shared/api/query-client.ts'
import { LiveProvider } from './shared/stream/live-provider.tsx'
import './shared/theme.css'

applyTheme(currentTheme())
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LiveProvider>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>
  </StrictMode>,
)
