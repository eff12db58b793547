import type { SharedConversations } from '../../kernel/session/shared-conversations.ts'
import type { Forgettable } from './forgettable.ts'
import type { Hosts } from './hosts.ts'
import type { LostRecord } from './lost-records.ts'
import type { Refused } from './refusals.ts'
import type { ClusterMoveRow } from './rows/cluster.ts'

/** This host's connection to the servers between the hosts. */
export type ClusterLinkState =
  | { readonly state: 'off' | 'connecting' }
  /**
   * `lost`: what a server had lost when it came back, in words. `problem`: what is missing there now, and who creates
   * it.
   */
  | { readonly state: 'connected'; readonly lost?: string; readonly problem?: string }
  | { readonly state: 'unreachable' | 'refused'; readonly why: string }

/** What a keeper's check of the servers found and did. */
export interface KeptServers {
  readonly made: readonly string[]
  /** Streams whose changed configuration was restored. */
  readonly changed: readonly string[]
  /** What could not be created or changed. */
  readonly problems: readonly string[]
}

/** The operations' view of other hosts. */
export interface ClusterView {
  /** The name of this host; undefined if it is not connected to others. */
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
  /** Whether the server requires no login although other machines can reach it. */
  isOpen(): boolean
  /** The host that creates what the servers need; undefined if every host creates it, or if no keeper is known. */
  keeper(): string | undefined
  /** Creates what is missing on the servers. Undefined if this host is not the keeper. */
  keepServers(): Promise<KeptServers | undefined>
  /** The public key of this host; undefined if there is none yet. */
  publicKey(): string | undefined
  /** The round-trip time to the server; undefined if there is no connection. */
  roundTripMs(): Promise<number | undefined>
  /** Data from other hosts that has been refused or cut since Iris started. */
  refused(): readonly Refused[]
  /** This host's records that the servers have lost since Iris started, the newest first. */
  lostRecords(): readonly LostRecord[]
  /** The unreachable hosts that can be forgotten, and those that are kept. */
  forgettable(): Promise<Forgettable>
  /** Conversations that moved from one host to another, the newest first. */
  moves(): readonly ClusterMoveRow[]
  /** How many turns are waiting for an answer from `host`, and since when the oldest one has been waiting. */
  waitingFor(host: string): { readonly count: number; readonly since: number | undefined }
  /** Whether this host accepts no new conversations from other hosts. */
  isDrained(): boolean
  drain(isDrained: boolean): void
  leave(): Promise<void>
  /** How many asks from all other hosts are not answered yet. */
  answeringAll(): number
  /** How many asks from `host` are not answered yet. */
  answering(host: string): number
}
