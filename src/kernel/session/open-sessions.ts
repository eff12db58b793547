import type { Ask } from '../turn/ask.ts'
import type { OtherHosts } from './other-hosts.ts'

/** The sessions that people have open in their own Claude Code, and the messages for them. */
export interface OpenSessions extends Pick<OtherHosts, 'carry'> {
  /** Throws why none of them can take the message. */
  readonly refuse: (ask: Ask) => void
}
