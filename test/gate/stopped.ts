/** Aborted once someone stops this program: it then ends what it runs, and still says what it knows. */
export function stopped(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort())
  return stop.signal
}
