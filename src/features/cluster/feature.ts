import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import { waitFacts } from '../../kernel/accept/wait-facts.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { invitedHosts } from '../../platform/config/invited-hosts.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Notices } from '../../platform/store/notices.ts'
import type { Store } from '../../platform/store/store.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { AccountLimits } from '../accounts/account-limits.ts'
import { limitAwaited } from '../accounts/limit-awaited.ts'
import { permissionAwaited } from '../permission/handlers/permission-awaited.ts'
import type { Questions } from '../permission/questions.ts'
import { noteTrace, traceparentOut } from '../traces/handlers/trace-link.ts'
import type { TurnTraces } from '../traces/rows/turn-traces.ts'
import { Cluster } from './cluster.ts'
import { ClusterLink } from './cluster-link.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { clusterEvents } from './events.ts'
import { forgettable } from './forgettable.ts'
import { drain, forget, forgetUnreachable, keep, leave, status } from './handlers.ts'
import type { OpenTurn } from './led-conversation.ts'
import { ClusterRows } from './rows/cluster.ts'
import { ClusterBegunRows } from './rows/cluster-begun.ts'
import type { ClusterView } from './view.ts'
import { waitingForPerson } from './waiting-for-person.ts'

interface Needs extends Pick<ClusterParts, 'launcher' | 'machines' | 'newId' | 'publish'> {
  readonly sessionRegistry: Sessions
  readonly turnTraces: TurnTraces
  readonly notices: Notices
  readonly config: () => Config
  readonly accountLimits: AccountLimits
  readonly events: Observable<PublishedEvent>
  readonly questions: Pick<Questions, 'ofTurn'>
  readonly liveConfig: LiveConfig
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly env: Environment
  readonly database: Store
  readonly ledger: Pick<Ledger, 'turn' | 'reports' | 'unsettled' | 'deliveriesOf' | 'toolStarts'>
  readonly trees: Pick<TreeRows, 'above'>
  readonly pool: Pool
  readonly turns: Turns
}

/**
 * Teams on other hosts, each with its own Iris, over NATS. Without `cluster` in config.yaml, this only remembers the
 * hosts that were known.
 */
export const cluster = feature('cluster', { events: clusterEvents }, (parts: Needs) => {
  const { liveConfig, clock, config, secrets, env, database, turns, pool, ledger, events, ...around } = parts
  const log = around.log.for('cluster')
  const { sessionRegistry: sessions, questions, accountLimits } = around
  const [rows, begunRows] = [new ClusterRows(database), new ClusterBegunRows(database)]
  const host: Cluster = new Cluster({
    ...around,
    sessions,
    config,
    clock,
    log,
    rows,
    begunRows,
    turns: () => turns,
    pool,
    ledger,
    traces: {
      of: (turnId) => traceparentOut({ turnId }, parts),
      note: (turnId, traceparent) => noteTrace(turnId, { auth: { parent: undefined }, traceparent }, parts),
    },
    // Respects a container's memory limit.
    freeMiB: () => process.availableMemory() / 2 ** 20,
    awaits: async (turn, self) => ({
      asks: waitingForPerson(await permissionAwaited(turn, { turns, questions }), self),
      limited: await limitAwaited(turn, turns, accountLimits),
    }),
    waits: () => waitFacts(sessions, pool, host),
    sessionOf(turnId) {
      const turn = ledger.turn(turnId)
      return turn && sessions.opened(sessions.rowOf(turn.session))
    },
    openTurns: (session) => openTurns(session.row.id, ledger),
    async giveUp(session, turnId, why) {
      if (turnId !== undefined) await turns.handle(turnId).endTree(why)
      await pool.stop(session, why.detail, 'now')
    },
  })
  events.subscribe((event) => {
    const { type } = event
    if (type === 'turn-reported') host.reported.came(event.turnId)
    if (type.startsWith('permission:') || type === 'turn-asks-elsewhere') host.waitsChanged()
  })
  accountLimits.news$.subscribe(() => host.waitsChanged())
  const link = new ClusterLink({ live: liveConfig, env, clock, log, secrets, cluster: host, publish: around.publish })
  const { hosts, outgoing } = host
  const view: ClusterView = {
    self: config().cluster?.name,
    hosts,
    shared: host.shared,
    state: () => link.state,
    isOpen: () => link.isOpen,
    publicKey: () => link.publicKey,
    keeper: () => link.keeper,
    keepServers: () => link.keepServers(),
    roundTripMs: () => link.roundTripMs(),
    refused: () => host.refusals.all(),
    lostRecords: () => host.lostRecords.all(),
    forgettable: async () => {
      const invited = await invitedHosts(config().home)
      return forgettable({ config, hosts, invited, isInUse: (name) => host.isInUse(name) })
    },
    moves: () => rows.moves(),
    waitingFor: (name) => outgoing.waitingFor(name),
    isDrained: () => host.isDrained,
    drain: (isDrained) => host.drain(isDrained),
    leave: () => host.leave(),
    answeringAll: () => host.answering(),
    answering: (name) => host.answering(name),
  }
  const reading = { clock, cluster: view }
  return {
    gives: { cluster: view },
    isOn: () => config().cluster !== undefined,
    seams: { otherHosts: host },
    handlers: {
      cluster_status: () => status(reading),
      drain_host: (input) => drain(input, reading),
      leave_cluster: (input) => leave(input, reading),
      forget_host: (input) => forget(input, reading),
      forget_unreachable_hosts: (input) => forgetUnreachable(input, reading),
      keep_servers: () => keep(reading),
    },
    begin: () => link.begin(),
    changed: () => link.settingsChanged(),
    end: () => link.end(),
  }
})

/** The ledger's turns of a session that were delivered and have not ended. */
function openTurns(session: number, ledger: Needs['ledger']): readonly OpenTurn[] {
  const open = ledger.unsettled().filter((turn) => turn.session === session && turn.state === 'dispatched')
  return open.map(({ id: turn }) => ({
    turn,
    deliveries: ledger.deliveriesOf(turn),
    toolStarts: ledger.toolStarts
      .of([turn])
      .map(({ turn: _turn, endedAt: _endedAt, isError: _isError, ...tool }) => tool),
  }))
}
