import type { Log } from '../../base/lib/log.ts'
import { aboutEntry, firstSignedEntry, hostEntryOf } from './host-entry.ts'
import type { Hosts } from './hosts.ts'
import type { HostEntry } from './ports.ts'
import { hasSignature, openJson } from './signed-json.ts'

export interface AnnouncementsParts {
  readonly log: Log
  readonly hosts: Pick<Hosts, 'seen' | 'showsAnotherKey' | 'keyOf' | 'hasSigned'>
}

/** Announcements of a name that were not believed, since Iris started. */
export interface Refused {
  readonly host: string
  readonly count: number
  /** Of the last one. */
  readonly why: string
}

/** Other names are only counted: whoever reaches the servers can make up any number. */
const mostNames = 100
const other = 'others'

/** Believes an announcement of a host if the key that is known for that host has signed it. */
export class Announcements {
  readonly #parts: AnnouncementsParts
  readonly #refused = new Map<string, Refused>()

  constructor(parts: AnnouncementsParts) {
    this.#parts = parts
  }

  /** Never throws. Returns whether the host says anything new. */
  take(host: string, text: string): boolean {
    const { hosts, log } = this.#parts
    try {
      const entry = this.#believed(host, text)
      return entry !== undefined && hosts.seen(host, entry)
    } catch (error) {
      log.warn(`what ${host} announces could not be kept: ${String(error)}`)
      return false
    }
  }

  /** Something that claims to come from this host is not believed. */
  refuse(host: string, why: string): undefined {
    const name = this.#refused.has(host) || this.#refused.size < mostNames ? host : other
    const before = this.#refused.get(name)
    if (before?.why !== why) this.#parts.log.warn(`what claims to come from ${name} is not believed: ${why}`)
    this.#refused.set(name, { host: name, count: (before?.count ?? 0) + 1, why })
    return undefined
  }

  refused(): readonly Refused[] {
    return [...this.#refused.values()]
  }

  #believed(host: string, text: string): HostEntry | undefined {
    const { hosts } = this.#parts
    const entry = hostEntryOf(text)
    if (entry === undefined) return this.refuse(host, 'it cannot be read')
    const isSigned = hasSignature(text)
    const { count, ...unsigned } = entry
    if (isSigned && (count === undefined || openJson(text, aboutEntry(host), entry.key) === undefined))
      return this.refuse(host, 'its signature is not that of its key')
    if (!isSigned && (entry.wire >= firstSignedEntry || hosts.hasSigned(host)))
      return this.refuse(host, 'it is not signed')
    const known = hosts.keyOf(host)
    if (known === undefined || known === entry.key) return isSigned ? entry : unsigned
    hosts.showsAnotherKey(host, entry)
    return this.refuse(host, 'it has another key than the one that is known for this host')
  }
}
