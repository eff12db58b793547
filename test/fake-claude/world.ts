import type { Clock } from '../../src/base/lib/clock.ts'
import type { AgentFile } from './agent-files.ts'
import type { OracleEvent } from './oracle-event.ts'
import type { ToolOutput } from './tool.ts'

/** Everything the fake touches outside itself: the machine in node-world.ts, memory under virtual time elsewhere. */
export interface World {
  readonly clock: Clock
  readonly pid: number
  readonly cwd: string
  newId(): string
  stdout(bytes: string | Uint8Array): void
  stderr(text: string): void
  readonly transcript: TranscriptFile
  readonly files: Files
  readonly self: Self
  /** Beside those built in. */
  agents(): readonly AgentFile[]
  /** The scripted model of the test; only where its address is known. */
  readonly model?: ModelLink
  /** One entry of the oracle; the world adds when, who and what only it knows. */
  record(event: OracleEvent): void
}

/** What the fake reads of an event of the Messages API; with a status, of its refusal. */
export interface ModelEvent {
  readonly type?: string
  readonly content_block?: { readonly type?: string; readonly id?: string; readonly name?: string }
  readonly delta?: { readonly text?: string; readonly thinking?: string; readonly partial_json?: string }
  readonly status?: number
  readonly error?: { readonly type: string; readonly message: string }
}

export interface ModelLink {
  ask(body: unknown, sessionId: string, signal: AbortSignal): AsyncIterable<ModelEvent>
  runTool(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolOutput>
}

export interface TranscriptFile {
  readonly path: string
  /** Undefined when there is no file. */
  read(): string | undefined
  append(text: string): void
}

export interface Files {
  exists(path: string): boolean
  append(path: string, text: string): void
  /** Creates the file; false when it was there. */
  claim(path: string): boolean
}

export interface Self {
  exit(code: number): void
  kill(signal: string): void
  /** Never returns. */
  hang(): void
  closeStdout(): void
  ignoreStdin(): void
  startOrphan(seconds: number): Promise<void>
}
