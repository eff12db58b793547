import type { Socket } from 'node:net'
import type { Peers, PeerView } from '../http/peers.ts'
import type { ProcessStart } from '../pool/launch.ts'
import { markedProcesses, markOf } from '../transport/descendants.ts'
import { lineageOf, type Peer, peerOf, userNamespaceOf } from '../transport/peer.ts'
import { agentCaller } from './host.ts'

export interface AgentPeersParts {
  readonly marker: string
  /** The processes of this Iris. */
  readonly own: ReadonlyMap<number, ProcessStart>
  /** Names a call that brings no name of its own. */
  readonly newId: () => string
}

/** Tells the processes of agents, and whatever they started, from those of the person. */
export class AgentPeers implements Peers {
  readonly #parts: AgentPeersParts
  readonly #known = new WeakMap<Socket, Promise<PeerView>>()
  /** One after the other: who comes first is let in first, whoever takes longer to be found. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: AgentPeersParts) {
    this.#parts = parts
  }

  of(socket: Socket): Promise<PeerView> {
    const known = this.#known.get(socket)
    if (known) return known
    const view = this.#last.then(async () => this.#view(await peerOf(socket)))
    this.#last = view.catch(() => {})
    this.#known.set(socket, view)
    return view
  }

  marked(mark: string): PeerView {
    const [marker, startId] = mark.split('.', 2)
    if (marker !== this.#parts.marker) return { kind: 'own' }
    const start = [...this.#parts.own.values()].find((each) => each.startId === startId)
    return start ? this.#agent(start) : { kind: 'refused', why: 'the agent that started it has ended' }
  }

  async #view(peer: Peer): Promise<PeerView> {
    if (peer === undefined) return { kind: 'own' }
    if (peer.kind === 'unseen') return { kind: 'refused', why: 'it cannot be seen which process calls' }
    if (peer.kind === 'user') return byUser(peer.uid)
    const lineage = await lineageOf(peer.pid)
    for (const pid of lineage) {
      const start = this.#parts.own.get(pid)
      if (start) return this.#agent(start)
      const view = this.marked((await markOf(pid)) ?? '')
      if (view.kind !== 'own') return view
    }
    return this.#byNamespace(peer.pid)
  }

  /** What an agent started may have lost its mark and its parents, but not the namespaces that the agent was put into. */
  async #byNamespace(pid: number): Promise<PeerView> {
    const [namespace, own] = await Promise.all([userNamespaceOf(pid), userNamespaceOf('self')])
    if (namespace === own) return { kind: 'own' }
    for (const each of await markedProcesses(this.#parts.marker)) {
      if (namespace === undefined || (await userNamespaceOf(each)) !== namespace) continue
      return this.marked((await markOf(each)) ?? '')
    }
    return { kind: 'foreign', why: 'its process is in a user namespace of its own' }
  }

  #agent({ session, startId }: ProcessStart): PeerView {
    return { kind: 'agent', startId, caller: () => agentCaller(session, this.#parts.newId()) }
  }
}

/** Root may do everything anyway. */
function byUser(uid: number): PeerView {
  return uid === 0 ? { kind: 'own' } : { kind: 'foreign', why: `its process belongs to another user (${uid})` }
}
