import type { Log } from '../../base/lib/log.ts'
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
import type { Seams } from '../../kernel/session/seams.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import type { System } from '../../platform/machine/machine.ts'

interface Around
  extends Omit<LaunchParts, 'own' | 'programs' | 'machines' | 'sessionMcp' | 'directoryOf'>,
    Pick<PoolParts, 'config' | 'clock' | 'publish' | 'random' | 'unsolicited'> {
  readonly log: Log
  readonly liveConfig: Pick<LiveConfig, 'reread' | 'problem'>
  readonly seams: Seams
  readonly system: System
  readonly startClient: HostsParts['startClient']
  readonly sessionMcp: Omit<SessionMcpParts, 'hosts' | 'log'>
  /** Serves connections from another machine: see `TunnelsParts`. */
  readonly serveTunnel: TunnelsParts['serve']
  /** Called before an agent starts that sees Iris's home. */
  readonly homeExposed: () => void
  readonly isAwaited: HostsParts['isAwaited']
}

/** What starts, keeps and ends processes, here and on other machines. */
export function openProcesses({
  log,
  system,
  startClient,
  homeExposed,
  sessionMcp,
  serveTunnel,
  isAwaited,
  unsolicited,
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
  const directoryOf = new TeamDirectories({ ...around.liveConfig, config, machines }).of
  const launched = { ...around, own, programs, machines, directoryOf }
  const launcher = new Launcher({ ...launched, sessionMcp: { ...sessionMcp, hosts, log: log.for('hosts') } })
  const pool = new Pool({
    config,
    clock,
    publish,
    unsolicited,
    seams: around.seams,
    log: log.for('pool'),
    random,
    directoryOf,
    loginHolds: (team) => programs.loginHolds(team),
    launch: (session, retries) => launcher.launch(session, retries),
    takeUp: (session, message, signal) => launcher.takeUp(session, message, signal),
    mirror: (session, state) => {
      processRows.mirrorState(session.row.id, state)
      publish({ type: 'process-state', teamName: session.to, state, ...session.ids })
    },
  })
  return {
    launcher,
    evidence: launcher.evidence,
    machines,
    hosts,
    pool,
    startedProcesses: own,
    own: own.on(system.processes),
  }
}
