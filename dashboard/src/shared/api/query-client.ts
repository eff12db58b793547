import { QueryClient } from '@tanstack/react-query'

/** Nothing goes stale by itself: the stream says what has changed (stream/stale-after.ts). */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Once the stream is back, everything on the screen is requested again.
      retry: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
