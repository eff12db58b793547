import type { Log } from '../../base/lib/log.ts'
import { aboutEntry, firstSignedEntry, readEntry } from './host-entry.ts'
import type { Hosts } from './hosts.ts'
import type { HostEntry } from './ports.ts'
import type { Refusals } from './refusals.ts'
import { hasSignature, openJson } from './signed-json.ts'

export interface AnnouncementsParts {
  readonly log: Log
  readonly hosts: Pick<Hosts, 'seen' | 'showsAnotherKey' | 'keyOf' | 'hasSigned'>
  readonly refusals: Pick<Refusals, 'add'>
}

/** Accepts a host's announcement if it is signed with the key that is known for that host. */
export class Announcements {
  readonly #parts: AnnouncementsParts

  constructor(parts: AnnouncementsParts) {
    this.#parts = parts
  }

  /** Never throws. Returns whether the announcement contains anything new. */
  take(host: string, text: string): boolean {
    const { hosts, log } = this.#parts
    try {
      const entry = this.#believed(host, text)
      return entry !== undefined && hosts.seen(host, entry)
    } catch (error) {
      log.warn(`the announcement of ${host} could not be stored: ${String(error)}`)
      return false
    }
  }

  #believed(host: string, text: string): HostEntry | undefined {
    const { hosts } = this.#parts
    const { value: entry, cuts } = readEntry(text)
    if (entry === undefined) return this.#refuse(host, 'its announcement cannot be read, or is out of bounds')
    const isSigned = hasSignature(text)
    const { count, ...unsigned } = entry
    if (isSigned && (count === undefined || openJson(text, aboutEntry(host), entry.key) === undefined))
      return this.#refuse(host, 'its announcement has a signature that does not match its key')
    if (!isSigned && (entry.wire >= firstSignedEntry || hosts.hasSigned(host)))
      return this.#refuse(host, 'its announcement is not signed')
    const known = hosts.keyOf(host)
    if (known === undefined || known === entry.key) {
      for (const cut of cuts) this.#refuse(host, cut)
      return isSigned ? entry : unsigned
    }
    hosts.showsAnotherKey(host, entry)
    return this.#refuse(host, 'its announcement has a different key from the one that is known for it')
  }
  #refuse(host: string, why: string): undefined {
    this.#parts.refusals.add(host, why)
    return undefined
  }
}
