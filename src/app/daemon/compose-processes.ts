import type { Log } from '../../base/lib/log.ts'
import { TakeOvers } from '../../features/take-over/take-overs.ts'
import { Hosts, type HostsParts, type TunnelsParts } from '../../kernel/pool/hosts.ts'
import { Isolations } from '../../kernel/pool/isolation.ts'
import { Launcher, type LaunchParts } from '../../kernel/pool/launch.ts'
import { OwnProcesses } from '../../kernel/pool/own-processes.ts'
import { Pool } from '../../kernel/pool/pool.ts'
import type { PoolParts } from '../../kernel/pool/pool-parts.ts'
import type { SessionMcpParts } from '../../kernel/pool/session-mcp.ts'
import { TeamDirectories } from '../../kernel/pool/team-directory.ts'
import { TeamMachines } from '../../kernel/pool/team-machines.ts'
import { TeamPrograms } from '../../kernel/pool/team-programs.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { System } from '../../platform/machine/machine.ts'

interface Around
  extends Omit<LaunchParts, 'own' | 'programs' | 'machines' | 'sessionMcp'>,
    Pick<
      PoolParts,
      'config' | 'clock' | 'publish' | 'random' | 'unsolicited' | 'permissionLists' | 'usual' | 'loginRefusedAt'
    > {
  readonly log: Log
  readonly live: Pick<LiveConfig, 'reread' | 'problem'>
  readonly system: System
  readonly startClient: HostsParts['startClient']
  readonly sessionMcp: Omit<SessionMcpParts, 'hosts' | 'log'>
  /** Serves connections from another machine: see `TunnelsParts`. */
  readonly serveTunnel: TunnelsParts['serve']
  /** Called before an agent starts that sees Iris's home. */
  readonly homeExposed: () => void
  readonly isAwaited: HostsParts['isAwaited']
}

/** Composes launcher, pool and take-overs: when a person opens a conversation, the pool retires its process. */
export function composeProcesses({
  log,
  system,
  startClient,
  homeExposed,
  sessionMcp,
  serveTunnel,
  isAwaited,
  unsolicited,
  permissionLists,
  loginRefusedAt,
  publish,
  random,
  ...around
}: Around) {
  const { clock, config, processRows } = around
  const own = new OwnProcesses()
  const tunnels = {
    serve: serveTunnel,
    onTrouble: (machine: string, why: string) => log.for('hosts').warn(`${machine}: ${why}`),
  }
  const hosts = new Hosts({ config, clock: clock.machine, startClient, tunnels, isAwaited, irisTag: around.irisTag })
  const isolations = new Isolations({ config, system, environment: around.environment, exposed: homeExposed })
  const programs: TeamPrograms = new TeamPrograms({
    ...around,
    machines: { of: (team) => machines.of(team), linkOf: () => undefined },
  })
  const machines = new TeamMachines({ ...around, clock: clock.machine, system, isolations, hosts }, programs)
  const launched = { ...around, own, programs, machines }
  const launcher = new Launcher({ ...launched, sessionMcp: { ...sessionMcp, hosts, log: log.for('hosts') } })
  const takeOvers = new TakeOvers({
    ...around,
    publish,
    log: log.for('pool'),
    own,
    machines,
    letGo: (session) => pool.retire(session, 'a person has opened its conversation', pool.unused(session)),
  })
  const pool: Pool = new Pool({
    config,
    clock,
    publish,
    unsolicited,
    permissionLists,
    loginRefusedAt,
    usual: around.usual,
    takeOvers,
    log: log.for('pool'),
    random,
    directoryOf: new TeamDirectories({ ...around.live, config, machines }).of,
    loginHolds: (team) => programs.loginHolds(team),
    launch: (session, retries) => launcher.launch(session, retries),
    takeUp: (session, message, signal) => launcher.takeUp(session, message, signal),
    mirror: (session, state) => {
      processRows.mirrorState(session.row.id, state)
      publish({ type: 'process-state', teamName: session.to, state, ...session.ids })
    },
  })
  return { launcher, evidence: launcher.evidence, machines, hosts, pool, takeOvers, own: own.on(system.processes) }
}
