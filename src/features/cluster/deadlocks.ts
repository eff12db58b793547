import { z } from 'zod'
import { type Clock, every } from '../../base/lib/clock.ts'
import { ringOf, type WaitFacts, type WaitingTurn } from '../../kernel/session/wait-graph.ts'
import { Count, HostName, Label } from './bounds.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { readLetter } from './letters.ts'
import type { Letter } from './ports.ts'

/** The id comes from another host, and becomes part of NATS subjects. */
const Turn = z.uuid()
/** `host/turn`. */
const Id = z.string().regex(/^[a-z][a-z0-9-]{0,30}\/[0-9a-f-]{36}$/)

const Node = z.object({
  id: Id,
  host: HostName,
  label: Label(1000),
  awaits: z.array(Id).max(1000),
  needsProcess: z.boolean(),
  holdsProcess: z.boolean(),
  /** Another host answers the turn. */
  isCarried: z.boolean(),
})
type Node = z.output<typeof Node>

const Place = z.object({ host: HostName, turn: Turn })

/** A search for what a turn waits for. It goes from host to host, and finally back to the first one. */
const Search = z.object({
  start: Place,
  round: Count,
  /** Turns about which a host still has to be asked. */
  open: z.array(Place).max(1000),
  nodes: z.array(Node).max(1000),
})
type Search = z.output<typeof Search>

export interface DeadlocksParts {
  readonly clock: Clock
  readonly newId: () => string
  /** The name of this host. */
  readonly self: () => string
  readonly waits: () => WaitFacts
  /** The host that answers this turn; undefined if this host does. */
  readonly carrierOf: (turn: string) => string | undefined
  /** Turns that other hosts answer. */
  readonly carried: () => readonly string[]
  /** Whether that host may learn about the asks in this conversation. */
  readonly mayKnow: (host: string, turn: string) => boolean
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
  /** Ends a turn that waits for itself. */
  readonly refuse: (turn: string, path: readonly string[]) => void
}

const lookEveryMs = 1000
/** Most asks are answered before the first search. */
const firstAfter = 1
const maxRounds = 16
const maxNodes = 1000

/**
 * Finds asks that wait for each other across several hosts. Each host knows only its own turns, so a search goes from
 * host to host and collects what the turn waits for. A ring is confirmed once two searches in a row have found it,
 * because all its parts then existed at the same time. Of the asks in a ring, the one with the greatest id is refused,
 * by its own host.
 */
export class Deadlocks {
  readonly #parts: DeadlocksParts
  readonly #rounds = new Map<string, { round: number; next: number; found: string | undefined }>()
  #endLooking: (() => void) | undefined
  #time = 0

  constructor(parts: DeadlocksParts) {
    this.#parts = parts
  }

  begin(): void {
    this.#endLooking ??= every(this.#parts.clock.machine, lookEveryMs, () => this.#look())
  }

  end(): void {
    this.#endLooking?.()
  }

  /** Handles a search that another host passes on. Ignores a search that cannot be read. */
  async receive(text: string, isUnreadable: () => void = () => {}): Promise<void> {
    const search = readLetter(Search, text)
    if (search === undefined) return isUnreadable()
    const isHere = search.start.host === this.#parts.self()
    if (isHere && this.#rounds.get(search.start.turn)?.round !== search.round) return
    // A lost search is started again later, so this letter need not wait in the mailbox of an absent host.
    await this.#continueSearch(search).catch(() => {})
  }

  #look(): void {
    const { carried, self, waits } = this.#parts
    this.#time += 1
    const turns = carried()
    for (const turn of this.#rounds.keys()) if (!turns.includes(turn)) this.#rounds.delete(turn)
    if (turns.length === 0) return
    const needed = new Set([...waits().turns.values()].flatMap(({ awaits, behind }) => [...awaits, behind]))
    for (const turn of turns) {
      const before = this.#rounds.get(turn) ?? { round: 0, next: this.#time + firstAfter, found: undefined }
      if (before.round === 0) this.#rounds.set(turn, before)
      // A ring leads back to the turn, so some turn on this host must wait for it.
      if (!needed.has(turn) || before.next > this.#time) continue
      const round = before.round + 1
      this.#rounds.set(turn, { ...before, round, next: this.#time + Math.min(round, maxRounds) })
      const start = { host: self(), turn }
      void this.#continueSearch({ start, round, open: [start], nodes: [] }).catch(() => {})
    }
  }

  /** Adds what this host knows, and passes the search on. */
  async #continueSearch(search: Search): Promise<void> {
    const { self, send, newId } = this.#parts
    const here = search.open.filter(({ host }) => host === self())
    const nodes = [...search.nodes]
    const open = search.open.filter(({ host }) => host !== self())
    this.#collect(
      here.map(({ turn }) => turn),
      search.start.host,
      nodes,
      open,
    )
    if (nodes.length > maxNodes || open.length > maxNodes) return
    const next = open[0]?.host ?? search.start.host
    if (next === self()) return this.#judge(search.start.turn, nodes)
    const text = JSON.stringify({ ...search, open, nodes })
    const { turn } = search.start
    await send(next, { turn, kind: 'waits', text }, `${turn}:waits:${newId()}`)
  }

  /** Collects what these turns are waiting for, as far as this host knows. */
  #collect(turns: readonly string[], reader: string, nodes: Node[], open: Search['open']): void {
    const { self, waits, carrierOf } = this.#parts
    const facts = waits()
    const holders = [...facts.turns.values()].filter(({ holdsProcess }) => holdsProcess).map(({ id }) => id)
    const known = new Set(nodes.map(({ id }) => id))
    const todo = [...turns]
    for (let turn = todo.pop(); turn !== undefined && nodes.length <= maxNodes; turn = todo.pop()) {
      const waiting = facts.turns.get(turn)
      if (waiting === undefined || known.has(this.#idOf(self(), turn))) continue
      const carrier = carrierOf(turn)
      const node = this.#nodeOf(waiting, carrier, reader, !facts.hasRoom)
      known.add(node.id)
      nodes.push(node)
      todo.push(...waiting.awaits, ...(waiting.behind === undefined ? [] : [waiting.behind]))
      if (node.needsProcess) todo.push(...holders)
      if (carrier !== undefined && !known.has(this.#idOf(carrier, turn))) open.push({ host: carrier, turn })
    }
  }

  #nodeOf(waiting: WaitingTurn, carrier: string | undefined, reader: string, isFull: boolean): Node {
    const { self, mayKnow } = this.#parts
    const { id: turn, behind, awaits, needsProcess, holdsProcess, label } = waiting
    const host = self()
    const before = behind === undefined ? [] : [behind]
    const further = carrier === undefined ? [] : [this.#idOf(carrier, turn)]
    return {
      id: this.#idOf(host, turn),
      host,
      holdsProcess,
      isCarried: carrier !== undefined,
      awaits: [...[...before, ...awaits].map((each) => this.#idOf(host, each)), ...further],
      needsProcess: needsProcess && isFull,
      label: mayKnow(reader, turn) ? `${label} at ${host}` : `a conversation at ${host}`,
    }
  }

  #judge(turn: string, nodes: readonly Node[]): void {
    const round = this.#rounds.get(turn)
    if (round === undefined) return
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const turns = nodes.map((node): [string, WaitingTurn] => [node.id, { ...node, behind: undefined }])
    const ring = ringOf(this.#idOf(this.#parts.self(), turn), { turns: new Map(turns), hasRoom: false })
    const carried = (ring ?? []).filter(({ id }) => byId.get(id)?.isCarried).map(({ id }) => id.split('/')[1]!)
    const isRefused = turn === carried.toSorted().at(-1)
    const found = ring?.map(({ id }) => id).join(' ')
    if (isRefused && found === round.found) {
      this.#rounds.delete(turn)
      this.#parts.refuse(
        turn,
        ring!.map(({ label }) => label),
      )
    } else this.#rounds.set(turn, { ...round, found, next: found === undefined ? round.next : this.#time + 1 })
  }

  #idOf(host: string, turn: string): string {
    return `${host}/${turn}`
  }
}

/** Whether the host may ask both teams. Only then may it learn about their asks. */
export function mayKnow(host: string, turn: string, { sessions, config }: Pick<ClusterParts, 'sessions' | 'config'>) {
  const pair = [...sessions.all()].find(({ queue }) => queue.some(({ id }) => id === turn))
  const teams = pair ? [pair.from, pair.to] : []
  return teams.every((team) => config().teams.get(team)?.askedBy?.includes(host) !== false)
}
