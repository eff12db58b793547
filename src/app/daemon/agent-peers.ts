import type { Socket } from 'node:net'
import type { Peers, PeerView } from '../../adapters/http/peers.ts'
import { agentAuth } from '../../kernel/call/agent-auth.ts'
import type { ProcessStart } from '../../kernel/pool/own-processes.ts'
import { livesOf, userNamespaceOf } from '../../platform/callers/lineage.ts'
import { PeerLookup } from '../../platform/callers/peer.ts'
import { ProcessTags } from '../../platform/callers/process-tags.ts'
import { holds } from '../../platform/callers/socket-holders.ts'
import type { Config } from '../../platform/config/config.ts'
import { remoteTag } from '../../platform/hosts/remote-tag.ts'
import { limitOf, limitTagOf, ownLimit } from '../../platform/machine/process-tag.ts'

export interface AgentPeersParts {
  readonly irisTag: string
  /** The processes of this Iris, by pid. */
  readonly own: ReadonlyMap<number, ProcessStart>
  /** The daemon's pid. Calls from the daemon, and from programs that it started, are refused. */
  readonly daemonPid: number
  /** Makes the id of a call that has none. */
  readonly newId: () => string
  readonly config: () => Pick<Config, 'roles'>
}

/** Distinguishes agents' processes, and the processes that these started, from the person's own processes. */
export class AgentPeers implements Peers {
  readonly #parts: AgentPeersParts
  readonly #lookup: Pick<PeerLookup, 'of'>
  readonly #looking = new Map<number, Promise<PeerView>>()
  readonly #tags = new ProcessTags()
  readonly #known = new WeakMap<Socket, Promise<PeerView>>()
  readonly #pids = new WeakMap<Socket, number>()

  constructor(parts: AgentPeersParts, lookup: Pick<PeerLookup, 'of'> = new PeerLookup()) {
    this.#parts = parts
    this.#lookup = lookup
  }

  of(socket: Socket): Promise<PeerView> {
    const known = this.#known.get(socket)
    if (known) return known
    // A caller whose lookup failed must not count as the person: an agent can make lookups fail by using up the files
    // that the daemon may open.
    const view = this.#look(socket).catch(() => refused(unseen))
    this.#known.set(socket, view)
    return view
  }

  /**
   * Names the owner of a connection: an agent, which includes everything that it started, or else a process. All
   * callers whose process cannot be determined share one name.
   */
  async whoOf(socket: Socket): Promise<string> {
    const view = await this.of(socket)
    if (view.kind === 'agent') return `an agent of ${view.auth().team} (${view.startId})`
    const pid = view.kind === 'own' ? this.#pids.get(socket) : undefined
    return pid === undefined ? 'somebody who may not call' : `process ${pid}`
  }

  tagged(tag: string): PeerView {
    const [irisTag, startId] = tag.split('.', 2)
    // The remote machine of a team may be this one.
    if (irisTag === remoteTag(this.#parts.irisTag)) return refused('it is an agent on the machine of a remote team')
    if (irisTag !== this.#parts.irisTag) return { kind: 'own' }
    const start = this.#startWith((each) => each === startId)
    return start ? this.#agent(start) : refused('the agent that started it has ended')
  }

  async #look(socket: Socket): Promise<PeerView> {
    for (let looks = 0; looks < maxLooks; looks += 1) {
      const peer = await this.#lookup.of(socket)
      if (peer === undefined) return { kind: 'own' }
      if (peer.kind === 'unseen') return refused(unseen)
      if (peer.kind === 'user') return byUser(peer.uid)
      const view = await this.#shared(peer.holder.pid)
      this.#pids.set(socket, peer.holder.pid)
      // The pid may belong to another process by now. Or it belonged to the copy that a caller makes of itself when it
      // starts a program: the copy has the caller's connections until it becomes that program.
      if (view.kind === 'agent' || holds(peer.holder, peer.inode)) return view
    }
    return refused('its process has ended')
  }

  /** Connections of one process that wait at the same time share one lookup. */
  #shared(pid: number): Promise<PeerView> {
    const looking = this.#looking.get(pid) ?? this.#ofProcess(pid).finally(() => this.#looking.delete(pid))
    this.#looking.set(pid, looking)
    return looking
  }

  async #ofProcess(pid: number): Promise<PeerView> {
    const lineage = livesOf(pid)
    for (const each of lineage) {
      const start = this.#parts.own.get(each.pid)
      if (start) return this.#agent(start)
      const view = this.tagged((await this.#tags.of(each)) ?? '')
      if (view.kind !== 'own') return view
    }
    if (lineage.some((each) => each.pid === this.#parts.daemonPid))
      return refused('it is the daemon, or a program that the daemon started')
    return this.#byLimit(pid)
  }

  /** A process that an agent started may have lost its tag and its parents, but neither its limit nor its namespace. */
  #byLimit(pid: number): PeerView {
    const limit = limitOf(pid)
    if (limit !== ownLimit()) {
      const start = this.#startWith((startId) => limitTagOf(`${this.#parts.irisTag}.${startId}`) === limit)
      return start ? this.#agent(start) : refused("its limit of file locks differs from this daemon's")
    }
    if (userNamespaceOf(pid) === userNamespaceOf(process.pid)) return { kind: 'own' }
    return refused('its process is in a different user namespace than this daemon')
  }

  #startWith(fits: (startId: string) => boolean): ProcessStart | undefined {
    return [...this.#parts.own.values()].find(({ startId }) => fits(startId))
  }

  #agent({ session, startId }: ProcessStart): PeerView {
    return { kind: 'agent', startId, auth: () => agentAuth(session, this.#parts.newId(), this.#parts.config()) }
  }
}

/** How often the other end of one connection is looked up. */
const maxLooks = 3

const unseen = 'Iris cannot see which process is calling'

function refused(why: string): PeerView {
  return { kind: 'refused', why }
}

/** Root may do everything anyway. */
function byUser(uid: number): PeerView {
  return uid === 0 ? { kind: 'own' } : { kind: 'foreign', why: `its process belongs to another user (${uid})` }
}
