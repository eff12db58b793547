import { type Clock, systemClock } from '../../src/base/lib/clock.ts'

/** Timers that are set while it hurries go off so many times as early. */
export function hurriedClock(times: number): Clock & { hurries: boolean } {
  return {
    ...systemClock,
    hurries: true,
    after(ms, run) {
      return systemClock.after(this.hurries ? ms / times : ms, run)
    },
  }
}
