import { isIPv6 } from 'node:net'
import { ipv4In } from '../../base/lib/checked-lookup.ts'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'

/**
 * Wrong tokens allowed per address and minute. A client whose token was just replaced may try the old one a few times.
 */
const maxWrong = 30
const minuteMs = 60_000
/** If there are more addresses than this, the oldest are forgotten. */
const maxAddresses = 10_000

/** Limits how often tokens can be guessed from one address. */
export class WrongTokens {
  readonly #clock: Pick<Clock, 'elapsed'>
  /** By address: when its minute began, in monotonic milliseconds, and the wrong tokens in it. */
  readonly #minutes = new Map<string, { began: number; wrong: number }>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** Called before a token is looked up. Throws `too_many_calls`. */
  admit(address: string): void {
    const minute = this.#minutes.get(address)
    if (minute === undefined || minute.wrong < maxWrong) return
    const retryAfterMs = Math.ceil(minute.began + minuteMs - this.#clock.elapsed())
    if (retryAfterMs <= 0) return void this.#minutes.delete(address)
    throw new IrisError(
      'too_many_calls',
      `${maxWrong} wrong tokens came from your address within a minute.`,
      `Try again in ${Math.ceil(retryAfterMs / 1000)} s, with a token that "iris token create --public" has printed.`,
      { retryAfterMs },
    )
  }

  /** Counts a wrong token. */
  note(address: string): void {
    const now = this.#clock.elapsed()
    const minute = this.#minutes.get(address)
    if (minute !== undefined && now - minute.began < minuteMs) return void (minute.wrong += 1)
    // Deleted first, so that the map stays in the order in which the minutes began.
    this.#minutes.delete(address)
    this.#minutes.set(address, { began: now, wrong: 1 })
    const [oldest] = this.#minutes.keys()
    if (this.#minutes.size > maxAddresses) this.#minutes.delete(oldest!)
  }
}

/**
 * The origin of a request at the public address: the last entry that the proxy added, since the client may have written
 * the earlier ones. For IPv6, it is only the network, because each client has many addresses.
 */
export function addressOf(forwardedFor: string | undefined, connected: string | undefined): string {
  const said = forwardedFor?.split(',').at(-1)?.trim() || connected || 'unknown'
  const [address = ''] = said.split('%')
  return isIPv6(address) ? (ipv4In(address) ?? networkOf(address)) : said
}

/** The first half of an IPv6 address, in one form. */
function networkOf(address: string): string {
  // `URL` normalizes each group. `::` stands for groups of zero.
  const [head = [], tail = []] = new URL(`http://[${address}]/`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}
