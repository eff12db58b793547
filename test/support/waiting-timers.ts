interface Waits {
  waiting(): readonly string[]
}

const clocks = new Set<WeakRef<Waits>>()

/** The timers of this clock are named when a test fails. */
export function watchTimers(clock: Waits): void {
  clocks.add(new WeakRef(clock))
}

/** The timers that wait, each with the line that set it. */
export function waitingTimers(): readonly string[] {
  return [...clocks].flatMap((ref) => ref.deref()?.waiting() ?? [])
}
