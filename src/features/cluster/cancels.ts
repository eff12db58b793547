import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Letter } from './ports.ts'
import type { ClusterCancelRow, ClusterRows } from './rows/cluster.ts'

export interface CancelsParts {
  readonly clock: Clock
  readonly log: Log
  readonly rows: Pick<ClusterRows, 'addCancel' | 'removeCancel' | 'cancels'>
  readonly newId: () => string
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
}

const againMs = 60_000
/**
 * After this time, the other host's mailbox has dropped the ask. If that host has the turn anyway, it reports this when
 * it is back.
 */
const maxMs = 7 * 86_400_000

/**
 * Cancels for other hosts. Each one is stored in a row, and is repeated until its host confirms it, even across
 * restarts.
 */
export class Cancels {
  readonly #parts: CancelsParts
  #cancelTimer: (() => void) | undefined

  constructor(parts: CancelsParts) {
    this.#parts = parts
  }

  /** Resolves to true if all letters are in the mailboxes. If not, Iris sends them when the hosts can be reached. */
  async add(turn: string, hosts: Iterable<string>, detail: string): Promise<boolean> {
    const cancels = [...hosts].map((host) => ({ turn, host, detail, at: this.#parts.clock.now() }))
    try {
      for (const row of cancels) this.#parts.rows.addCancel(row)
    } catch (error) {
      this.#parts.log.warn(`a cancel could not be stored: ${String(error)}`, { turnId: turn })
    }
    const sent = await Promise.all(cancels.map((row) => this.#send(row)))
    this.#again()
    return sent.every(Boolean)
  }

  /** The host has reported how the turn ended there. */
  confirmed(host: string, turn: string): void {
    try {
      this.#parts.rows.removeCancel(turn, host)
    } catch {
      // The cancel is sent again, and confirmed again.
    }
  }

  /** Sends the unconfirmed cancels, now and later. */
  connected(): void {
    for (const row of this.#open) void this.#send(row)
    this.#again()
  }

  end(): void {
    this.#cancelTimer?.()
  }

  /** Empty while the store cannot be read. */
  get #open(): readonly ClusterCancelRow[] {
    try {
      return this.#parts.rows.cancels(this.#parts.clock.now() - maxMs)
    } catch {
      return []
    }
  }

  async #send({ turn, host, detail }: Omit<ClusterCancelRow, 'at'>): Promise<boolean> {
    const { send, newId } = this.#parts
    const letter: Letter = { turn, kind: 'cancel', text: JSON.stringify({ detail }) }
    return send(host, letter, `${turn}:cancel:${newId()}`).then(
      () => true,
      () => false,
    )
  }

  #again(): void {
    this.#cancelTimer?.()
    if (this.#open.length === 0) return
    this.#cancelTimer = this.#parts.clock.machine.after(againMs, () => this.connected())
  }
}
