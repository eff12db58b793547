import type { SharedConversations } from '../../kernel/session/shared-conversations.ts'
import type { Forgettable } from './forgettable.ts'
import type { Hosts } from './hosts.ts'
import type { LostRecord } from './lost-records.ts'
import type { Refused } from './refusals.ts'
import type { ClusterMoveRow } from './rows/cluster.ts'

/** The connection of this host to the servers that join it with others. */
export type ClusterLinkState =
  | { readonly state: 'off' | 'connecting' }
  /** `lost`: what a server had lost when it came back, in words; `problem`: what is missing there now, and who makes it. */
  | { readonly state: 'connected'; readonly lost?: string; readonly problem?: string }
  | { readonly state: 'unreachable' | 'refused'; readonly why: string }

/** A description of what a keeper found on the servers. */
export interface KeptServers {
  readonly made: readonly string[]
  /** Streams whose changed configuration was restored. */
  readonly changed: readonly string[]
  /** What could not be created or changed. */
  readonly problems: readonly string[]
}

/** The operations' view of other hosts. */
export interface ClusterView {
  /** The name of this host; undefined: it works alone. */
  readonly self: string | undefined
  readonly hosts: Pick<
    Hosts,
    | 'all'
    | 'find'
    | 'keyOf'
    | 'forget'
    | 'teams'
    | 'resolve'
    | 'isAwake'
    | 'isNamed'
    | 'hostOf'
    | 'mustOffer'
    | 'newTeamsOf'
    | 'readsKnown'
  >
  /** Conversations that other hosts may lead too. */
  readonly shared: SharedConversations
  state(): ClusterLinkState
  /** The server asks for no login, and other machines can reach it. */
  isOpen(): boolean
  /** The host that makes what the servers need; undefined: each one does, or none is known. */
  keeper(): string | undefined
  /** Makes what the servers lack. Undefined: this host is no keeper. */
  keepServers(): Promise<KeptServers | undefined>
  /** The public key of this host; undefined: there is none yet. */
  publicKey(): string | undefined
  /** The round-trip time to the server; undefined: there is no connection. */
  roundTripMs(): Promise<number | undefined>
  /** Data from other hosts that was refused or cut, since Iris started. */
  refused(): readonly Refused[]
  /** Records of this host that the servers have lost, since Iris started, the newest first. */
  lostRecords(): readonly LostRecord[]
  /** The unreachable hosts, and which of them nothing here needs. */
  forgettable(): Promise<Forgettable>
  /** Conversations that went from one host to another, the newest first. */
  moves(): readonly ClusterMoveRow[]
  /** How many turns wait for this host to answer, and since when the oldest one. */
  waitingFor(host: string): { readonly count: number; readonly since: number | undefined }
  /** This host accepts no new conversations from others. */
  isDrained(): boolean
  drain(isDrained: boolean): void
  leave(): Promise<void>
  /** How many asks of all other hosts are not answered yet. */
  answeringAll(): number
  /** How many asks of this host are not answered yet. */
  answering(host: string): number
}
