import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import { waitFacts } from '../../kernel/accept/wait-facts.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Environment } from '../../platform/config/home.ts'
import { invitedHosts } from '../../platform/config/invited-hosts.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import { Notices } from '../../platform/store/notices.ts'
import type { Store } from '../../platform/store/store.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { AccountLimits } from '../accounts/account-limits.ts'
import { limitAwaited } from '../accounts/limit-awaited.ts'
import { permissionAwaited } from '../permission/handlers/permission-awaited.ts'
import type { Questions } from '../permission/questions.ts'
import { noteTrace, traceparentOut } from '../traces/handlers/trace-link.ts'
import { TurnTraces } from '../traces/rows/turn-traces.ts'
import { Cluster } from './cluster.ts'
import { ClusterLink } from './cluster-link.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { forgettable } from './forgettable.ts'
import type { OpenTurn } from './led-conversation.ts'
import { ClusterRows } from './rows/cluster.ts'
import { ClusterBegunRows } from './rows/cluster-begun.ts'
import type { ClusterView } from './view.ts'
import { waitingForPerson } from './waiting-for-person.ts'

interface Around extends Pick<ClusterParts, 'launcher' | 'sessions' | 'machines' | 'newId' | 'publish'> {
  readonly accountLimits: AccountLimits
  readonly events: Observable<PublishedEvent>
  readonly questions: Pick<Questions, 'ofTurn'>
  readonly live: LiveConfig
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly env: Environment
  readonly store: Store
  readonly ledger: Pick<Ledger, 'turn' | 'reports' | 'unsettled' | 'deliveriesOf' | 'toolStarts'>
  readonly trees: Pick<TreeRows, 'above'>
  readonly pool: Pool
  readonly turns: () => Pick<Turns, 'ask' | 'handle' | 'living'>
}

/** Composes this host's part in a cluster. Without `cluster` in config.yaml it only remembers the hosts that it knew. */
export function composeCluster({ live, clock, secrets, env, store, turns, pool, ledger, events, ...around }: Around) {
  const log = around.log.for('cluster')
  const { sessions, questions, accountLimits } = around
  const [rows, begunRows] = [new ClusterRows(store), new ClusterBegunRows(store)]
  const traced = { config: live.current, clock, trees: around.trees, turnTraces: new TurnTraces(store) }
  const cluster: Cluster = new Cluster({
    ...around,
    config: live.current,
    clock,
    log,
    rows,
    begunRows,
    turns,
    pool,
    ledger,
    traces: {
      of: (turnId) => traceparentOut({ turnId }, traced),
      note: (turnId, traceparent) => noteTrace(turnId, { auth: { parent: undefined }, traceparent }, traced),
    },
    notices: new Notices(store),
    // Within what a container may use.
    freeMiB: () => process.availableMemory() / 2 ** 20,
    awaits: async (turn, self) => ({
      asks: waitingForPerson(await permissionAwaited(turn, { turns: turns(), questions }), self),
      limited: await limitAwaited(turn, turns(), accountLimits),
    }),
    waits: () => waitFacts(sessions, pool, cluster),
    sessionOf(turnId) {
      const turn = ledger.turn(turnId)
      return turn && sessions.opened(sessions.rowOf(turn.session))
    },
    openTurns: (session) => openTurns(session.row.id, ledger),
    async giveUp(session, turnId, why) {
      if (turnId !== undefined) await turns().handle(turnId).endTree(why)
      await pool.stop(session, why.detail, 'now')
    },
  })
  events.subscribe((event) => {
    const { type } = event
    if (type === 'turn-reported') cluster.reported.came(event.turnId)
    if (type.startsWith('permission:') || type === 'turn-asks-elsewhere') cluster.waitsChanged()
  })
  accountLimits.news$.subscribe(() => cluster.waitsChanged())
  const link = new ClusterLink({ live, env, clock, log, secrets, cluster, publish: around.publish })
  const { hosts, outgoing } = cluster
  const view: ClusterView = {
    self: live.current().cluster?.name,
    hosts,
    shared: cluster.shared,
    state: () => link.state,
    isOpen: () => link.isOpen,
    publicKey: () => link.publicKey,
    keeper: () => link.keeper,
    keepServers: () => link.keepServers(),
    roundTripMs: () => link.roundTripMs(),
    refused: () => cluster.refusals.all(),
    lostRecords: () => cluster.lostRecords.all(),
    forgettable: async () => {
      const invited = await invitedHosts(live.current().home)
      return forgettable({ config: live.current, hosts, invited, isInUse: (host) => cluster.isInUse(host) })
    },
    moves: () => rows.moves(),
    waitingFor: (host) => outgoing.waitingFor(host),
    isDrained: () => cluster.isDrained,
    drain: (isDrained) => cluster.drain(isDrained),
    leave: () => cluster.leave(),
    answeringAll: () => cluster.answering(),
    answering: (host) => cluster.answering(host),
  }
  return { cluster, link, view }
}

/** Turns of a session that were delivered and have not ended, as the ledger has them. */
function openTurns(session: number, ledger: Around['ledger']): readonly OpenTurn[] {
  const open = ledger.unsettled().filter((turn) => turn.session === session && turn.state === 'dispatched')
  return open.map(({ id: turn }) => ({
    turn,
    deliveries: ledger.deliveriesOf(turn),
    toolStarts: ledger.toolStarts
      .of([turn])
      .map(({ turn: _turn, endedAt: _endedAt, isError: _isError, ...tool }) => tool),
  }))
}
