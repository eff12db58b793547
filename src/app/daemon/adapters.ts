import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { createApi } from '../../adapters/http/api/api.ts'
import { createApp, createTunnelApp, maxBodyBytes } from '../../adapters/http/app.ts'
import { Credentials } from '../../adapters/http/credentials.ts'
import { createDashboard } from '../../adapters/http/dashboard/dashboard.ts'
import { createMetrics } from '../../adapters/http/metrics/route.ts'
import { createTriggers } from '../../adapters/http/triggers.ts'
import { createMcpEndpoint } from '../../adapters/mcp/http.ts'
import { serveLines } from '../../adapters/mcp/lines.ts'
import type { LiveTurn } from '../../base/protocol/live-turn.ts'
import { ownOf } from '../../features/channels/handlers/viewer.ts'
import { notReadyBecause } from '../../features/configuration/handlers/readiness.ts'
import { authAt } from '../../kernel/call/agent-auth.ts'
import { PublishedRows } from '../../kernel/journal/published-rows.ts'
import { figuresOf } from '../../views/health/present-figures.ts'
import { AgentPeers } from './agent-peers.ts'
import type { Composition } from './compose.ts'
import type { LetIn } from './home-socket.ts'
import type { Keys } from './keys.ts'
import type { Surroundings } from './surroundings.ts'

interface AdapterParts extends Pick<Surroundings, 'log'> {
  readonly keys: Keys
  readonly irisTag: string
  readonly daemonPid: number
  /** The daemon's port, which is known before the first call can arrive. */
  readonly port: () => number
  readonly stop: () => void
}

/** The HTTP app, credentials, the service of the home socket and tunnels. */
export function openAdapters(composition: Composition, { keys, log, irisTag, daemonPid, port, stop }: AdapterParts) {
  const { operations, parts } = composition
  const { config, own } = parts
  const { logins } = keys
  const peers = new AgentPeers({ irisTag, own, daemonPid, newId: randomUUID, config })
  const around = { config, peers, refusals: parts.refusals, log: log.for('http') }
  const credentials = new Credentials({ ...around, ...keys, clock: parts.clock.machine, port })
  const mcp = createMcpEndpoint({ ...parts, operations, log: log.for('mcp') })
  const app = createApp({
    ...around,
    mcp,
    stop,
    newId: randomUUID,
    answers: parts.signedAnswers,
    credentials,
    dashboard: createDashboard({ ...around, logins, credentials, port }),
    api: createApi({
      ...parts,
      operations,
      events$: parts.everything$,
      liveTurns: () => liveTurnsOf(parts),
      publishedRows: new PublishedRows(parts.ledger.journal),
      ownOf: (principal) => ownOf({ principal }, parts),
    }),
    triggers: createTriggers({ incoming: parts.triggers, credentials, clock: parts.clock.machine }),
    metrics: createMetrics(() => figuresOf(parts)),
    notReady: () => notReadyBecause(parts),
    callerOf: (id, token) => authAt(parts.sessionEndpoints.find(id, token), randomUUID(), config()),
  })
  const letIn: LetIn = (hello, socket) => {
    const authOf = credentials.program(hello)
    const maxLine = maxBodyBytes(config())
    return authOf && serveLines(socket, { operations, log: log.for('mcp'), authOf, longestLine: maxLine })
  }
  /** The app for the machine with that key. */
  const tunnelApp = (machine: string) =>
    createTunnelApp({
      config,
      refusals: parts.refusals,
      log: around.log,
      mcp,
      callerOf: (id, token) => authAt(parts.sessionEndpoints.find(id, token, machine), randomUUID(), config()),
    })
  return { app, tunnelApp, letIn, whoOf: (socket: Socket) => peers.whoOf(socket) }
}

/** The turns whose text is being written. */
function liveTurnsOf({ sessions, turns }: Composition['parts']): LiveTurn[] {
  return sessions
    .opened()
    .flatMap(({ runningTurnId, from, to, thread, sessionId }) =>
      runningTurnId === undefined
        ? []
        : turns.writing([runningTurnId]).map((writing) => ({ ...writing, from, to, thread, sessionId })),
    )
}
