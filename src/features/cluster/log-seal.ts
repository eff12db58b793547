import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { LogRecord } from './ports.ts'
import type { Seal } from './seal.ts'
import { isSigned } from './seal.ts'

/**
 * The place of a record. `after` is the number of the previous record; it makes the record valid at this place only.
 */
export interface RecordPlace {
  readonly team: string
  readonly conversation: string
  readonly after: number
}

/** A record with the host that signed it. */
export interface SignedRecord extends LogRecord {
  /** The signing host. Undefined if no trusted host has signed the record for this place. */
  readonly by: string | undefined
  /** SHA-256 of the record as stored in the log, hex. */
  readonly hash: string
}

export interface LogSealParts {
  readonly self: () => string
  /** Undefined while this host is alone. */
  readonly seal: () => Seal | undefined
  /** The key of a host that may lead this team's conversations. Undefined if this host's key is not trusted. */
  readonly keyOf: (host: string, team: string) => string | undefined
}

const Head = z.object({ by: z.string().max(100), signature: z.string().max(200) })

/**
 * Signs records of conversations, and checks who signed a record, because anyone who reaches the servers can add
 * records.
 */
export class LogSeal {
  readonly #parts: LogSealParts

  constructor(parts: LogSealParts) {
    this.#parts = parts
  }

  sign(bytes: Uint8Array, place: RecordPlace): Uint8Array {
    const { self, seal } = this.#parts
    const by = self()
    const signature = seal()!.sign(signedBytes(by, place, bytes))
    return Buffer.concat([Buffer.from(`${JSON.stringify({ by, signature })}\n`), bytes])
  }

  open({ number, bytes }: LogRecord, place: RecordPlace): SignedRecord {
    const { self, seal, keyOf } = this.#parts
    const all = Buffer.from(bytes)
    const end = all.indexOf(10)
    const { by, signature } = headOf(all.subarray(0, end).toString()) ?? {}
    const rest = all.subarray(end + 1)
    const key = by === self() ? seal()?.publicKey : by && keyOf(by, place.team)
    const isBelieved = by && signature && key && isSigned(key, signedBytes(by, place, rest), signature)
    return { number, bytes: rest, by: isBelieved ? by : undefined, hash: hashOf(bytes) }
  }
}

/** SHA-256 of a record as stored in the log, hex. Records have random ids, so no two are the same. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function headOf(line: string): z.output<typeof Head> | undefined {
  try {
    return Head.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

function signedBytes(by: string, { team, conversation, after }: RecordPlace, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`log\n${[by, team, conversation, after].join('\n')}\n`), bytes])
}
