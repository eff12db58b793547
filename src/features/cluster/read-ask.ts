import { z } from 'zod'
import { safeParse } from '../../base/lib/safe-parse.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Notices } from '../../platform/store/notices.ts'
import { nameOf, partsOf } from './host-names.ts'
import { AskLetter, type KnownOfTurn, wireVersion } from './letters.ts'
import type { Refusals } from './refusals.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface ReadAskParts {
  readonly config: () => Config
  readonly refusals: Pick<Refusals, 'add'>
  readonly rows: Pick<ClusterRows, 'addAsk'>
  /** The name of this host. */
  readonly self: () => string
  readonly notices: Pick<Notices, 'bring'>
}

/** An ask as another host wrote it. */
export interface ReadAsk {
  readonly ask: Ask
  readonly known: KnownOfTurn | undefined
  readonly traceparent: string | undefined
}

/** Throws `not_allowed` for an ask that this host does not accept. */
export function readAsk(host: string, turn: string, written: unknown, parts: ReadAskParts): ReadAsk {
  const letter = safeParse(AskLetter, written)
  const { rows, config, self, refusals } = parts
  const wire = Number((written as { wire?: unknown } | null)?.wire)
  if (wire > wireVersion) throw refused(`${self()} runs an older Iris, which does not read this message (${wire}).`)
  // The id becomes the id of the turn on this host, and part of file paths.
  if (!letter.success || !z.uuid().safeParse(turn).success) {
    refusals.add(host, 'a message cannot be read, or is out of bounds')
    throw refused(`${self()} cannot read this message from ${host}.`)
  }
  const { from, to, thread, role, message, waits, hop, chain } = letter.data
  const { budget, notices = [], responseSchema, files, known, traceparent } = letter.data
  const asker = nameOf(from, host)
  // A local team with that name would share the conversation of the other host's team.
  if (config().teams.has(asker)) throw refused(`${self()} has a team of its own that is named ${asker}.`)
  if (config().teams.get(to)?.askedBy?.includes(host) === false)
    throw refused(`${host} may not ask ${to} on ${self()}.`)
  if (role !== undefined && !config().roles.has(role)) throw refused(`${self()} has no role "${role}".`)
  const before = chain.map((name) => localName(name, self()))
  const ask: Ask = {
    pair: { from: asker, to, thread },
    role,
    message,
    waits,
    idempotencyKey: undefined,
    parent: undefined,
    budget,
    responseSchema,
    attachments: files?.map((file) => ({ name: file.name, content: Buffer.from(file.data, 'base64') })),
    origin: { turnId: turn, chain: before, hop },
    alongside: () => {
      rows.addAsk({ turn, host, chain: before, refusal: null })
      parts.notices.bring(turn, notices)
    },
  }
  return { ask, known, traceparent }
}

/** The error for an ask that this host does not accept. */
export function refused(what: string): IrisError {
  return new IrisError('not_allowed', what, '')
}

/** The local name of a team: `team@self` is a team of this host. */
function localName(name: string, self: string): string {
  const parts = partsOf(name)
  return parts?.host === self ? parts.team : name
}
