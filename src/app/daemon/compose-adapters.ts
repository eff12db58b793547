import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { createApi } from '../../adapters/http/api/api.ts'
import { createApp, createTunnelApp, maxBodyBytes } from '../../adapters/http/app.ts'
import { Credentials } from '../../adapters/http/credentials.ts'
import { createDashboard } from '../../adapters/http/dashboard/dashboard.ts'
import { createMetrics } from '../../adapters/http/metrics/route.ts'
import { createMcpEndpoint } from '../../adapters/mcp/http.ts'
import { serveLines } from '../../adapters/mcp/lines.ts'
import type { LiveTurn } from '../../base/protocol/live-turn.ts'
import { ownOf } from '../../features/channels/handlers/viewer.ts'
import { notReadyBecause } from '../../features/configuration/handlers/readiness.ts'
import { figuresOf } from '../../views/health/present-figures.ts'
import { AgentPeers } from './agent-peers.ts'
import type { Composition } from './compose.ts'
import { authAt } from './control-handler.ts'
import { forwardQuestions } from './forward-questions.ts'
import type { LetIn } from './home-socket.ts'
import type { Keys } from './keys.ts'
import type { Surroundings } from './surroundings.ts'

interface AdapterParts extends Pick<Surroundings, 'log' | 'env'> {
  readonly keys: Keys
  readonly irisTag: string
  readonly daemonPid: number
  /** Known before the first call can come. */
  readonly port: () => number
  readonly stop: () => void
}

/** Composes the HTTP app, credentials, the service of the home socket and tunnels, the forwarding of questions. */
export function composeAdapters(
  composition: Composition,
  { keys, log, env, irisTag, daemonPid, port, stop }: AdapterParts,
) {
  const { domain, operations, everything$, own } = composition
  const { logins } = keys
  const peers = new AgentPeers({ irisTag, own, daemonPid, newId: randomUUID, config: domain.config })
  const around = { config: domain.config, peers, refusals: domain.refusals, log: log.for('http') }
  const credentials = new Credentials({ ...around, ...keys, clock: domain.clock.machine, port })
  const forward = forwardQuestions(composition, { env, log: log.for('forward'), port })
  const mcp = createMcpEndpoint({ ...domain, operations, log: log.for('mcp') })
  const app = createApp({
    ...around,
    mcp,
    stop,
    answers: forward.answers,
    credentials,
    dashboard: createDashboard({ ...around, logins, credentials, port }),
    api: createApi({
      ...domain,
      operations,
      events$: everything$,
      liveTurns: () => liveTurnsOf(domain),
      ownOf: (principal) => ownOf({ principal }, domain),
    }),
    metrics: createMetrics(() => figuresOf(domain)),
    notReady: () => notReadyBecause(domain),
    sessions: (id, token) => authAt(domain.sessionEndpoints.find(id, token), randomUUID(), domain.config()),
  })
  const letIn: LetIn = (hello, socket) => {
    const authOf = credentials.program(hello)
    const maxLine = maxBodyBytes(domain.config())
    return authOf && serveLines(socket, { operations, log: log.for('mcp'), authOf, longestLine: maxLine })
  }
  /** The app for the machine with that key. */
  const tunnelApp = (machine: string) =>
    createTunnelApp({
      config: domain.config,
      refusals: domain.refusals,
      log: around.log,
      mcp,
      sessions: (id, token) => authAt(domain.sessionEndpoints.find(id, token, machine), randomUUID(), domain.config()),
    })
  return { app, tunnelApp, forward, letIn, whoOf: (socket: Socket) => peers.whoOf(socket) }
}

/** The turns whose text is being written. */
function liveTurnsOf({ sessions, turns }: Composition['domain']): LiveTurn[] {
  return sessions
    .opened()
    .flatMap(({ runningTurnId, from, to, thread, sessionId }) =>
      runningTurnId === undefined
        ? []
        : turns.writing([runningTurnId]).map((writing) => ({ ...writing, from, to, thread, sessionId })),
    )
}
