import { isDeepStrictEqual } from 'node:util'
import type { Observable, Subscription } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { ProxyAccess } from '../../base/lib/proxy-access.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { managedVariables } from '../../claude/driver/managed-settings.ts'
import { hasTelemetry, telemetryEnvironment } from '../../claude/driver/telemetry-environment.ts'
import type { Telemetry } from '../../kernel/session/seams.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { type Proxy, proxyAccess } from '../../platform/config/proxy.ts'
import type { TelemetryReceiver } from './otlp/receiver.ts'
import type { TraceExport, TraceWork } from './otlp/trace-export.ts'

export interface TraceLinkParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly events: Observable<PublishedEvent>
  /** The file of the store. */
  readonly store: string
  readonly env: Environment
  readonly secrets: Pick<Secrets, 'add'>
}

/**
 * Sends traces and receives Claude Code's own telemetry, if config.yaml says so. The code for this is loaded only then.
 */
export class TraceLink {
  readonly #parts: TraceLinkParts
  #work: Promise<void> = Promise.resolve()
  #inForce: object | undefined
  #running:
    | { readonly export: TraceExport; readonly turns: Subscription; readonly receiver: TelemetryReceiver | undefined }
    | undefined

  constructor(parts: TraceLinkParts) {
    this.#parts = parts
  }

  /** How many turns were sent, and how many were dropped. */
  get counts(): TraceExport['counts'] {
    return this.#running?.export.counts ?? { sent: 0, dropped: 0 }
  }

  /**
   * Variables with which a process of this conversation sends its telemetry to Iris. Undefined if it sends none:
   * telemetry is off, its user sends it elsewhere, or its team lives on another machine.
   */
  async telemetryOf({ sessionId }: Session, { name, env, remote }: TeamConfig): Promise<Telemetry | undefined> {
    await this.#work
    const receiver = this.#running?.receiver
    if (receiver === undefined || remote !== undefined) return undefined
    // Managed settings override Iris, so the token would go where they send telemetry.
    if (hasTelemetry({ ...this.#parts.config().settings.env, ...env, ...managedVariables() })) return undefined
    const opened = receiver.open({ sessionId, team: name })
    return opened && { env: telemetryEnvironment(opened.url, opened.token), end: opened.end }
  }

  begin(): void {
    this.settingsChanged()
  }

  settingsChanged(): void {
    this.#work = this.#work.then(() => this.#change())
  }

  async end(): Promise<void> {
    await this.#work
    await this.#stop()
  }

  async #change(): Promise<void> {
    const { tracesTo: endpoint, traceHeaders: headers, claudeTelemetry, tracesProxy } = this.#parts.config().insight
    const wanted = endpoint === undefined ? undefined : { endpoint, headers, claudeTelemetry, tracesProxy }
    if (isDeepStrictEqual(wanted, this.#inForce)) return
    this.#inForce = wanted
    await this.#stop()
    if (wanted === undefined) return
    const { store, clock, log, events } = this.#parts
    const { TraceExport } = await import('./otlp/trace-export.ts')
    const way = tracesProxy && (await this.#proxy(tracesProxy))
    if (way === 'unusable') return
    const work = { store, endpoint: wanted.endpoint, headers: wanted.headers, proxy: way }
    const started = new TraceExport(work, clock, log)
    const receiver = claudeTelemetry ? await this.#receive(work) : undefined
    const turns = events.subscribe((event) => event.type === 'turn-settled' && started.add(event.turnId))
    this.#running = { export: started, turns, receiver }
  }

  /** Without the proxy that the owner configured, nothing is sent. */
  async #proxy(proxy: Proxy): Promise<ProxyAccess | 'unusable'> {
    const { config, env, log, secrets } = this.#parts
    const found = await proxyAccess(proxy, config().home, env)
    if ('problem' in found) {
      log.warn(`traces are not sent: ${found.problem}`)
      return 'unusable'
    }
    secrets.add(found.secrets)
    return found.access
  }

  async #receive(work: TraceWork): Promise<TelemetryReceiver> {
    const { TelemetryReceiver } = await import('./otlp/receiver.ts')
    const receiver = new TelemetryReceiver(work, this.#parts.clock, this.#parts.log)
    await receiver.start()
    return receiver
  }

  async #stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    running?.turns.unsubscribe()
    await Promise.all([running?.export.close(), running?.receiver?.close()])
  }
}
