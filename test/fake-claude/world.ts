import type { Clock } from '../../src/base/lib/clock.ts'
import type { OracleEvent } from './oracle-event.ts'

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
  /** One entry of the oracle; the world adds when, who and what only it knows. */
  record(event: OracleEvent): void
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
