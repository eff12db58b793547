import type { ControlHandler } from '../../base/agent/control-handler.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import { isRoleThread } from '../../base/protocol/role.ts'
import type { Role, TeamConfig } from '../../platform/config/config.ts'
import type { ProjectFiles } from '../../platform/machine/machine.ts'
import type { AccountWaits } from '../turn/account-waits.ts'
import type { Ask } from '../turn/ask.ts'
import type { MessageContracts } from '../turn/message-contracts.ts'
import type { TreeBudgets } from '../turn/tree-budgets.ts'
import type { AuditRecords } from './audit-entry.ts'
import type { MessageFiles } from './message-files.ts'
import type { OpenElsewhere } from './open-elsewhere.ts'
import type { OtherHosts } from './other-hosts.ts'
import type { Session } from './session.ts'
import { type ToolCollisions, type ToolRules, withoutCollisions, withoutRules } from './tool-seams.ts'

/** A permission request that waits for an answer. Times are milliseconds since the epoch. */
export interface OpenQuestion {
  readonly toolName: string
  /** The team whose agent asks. */
  readonly to: string
  readonly askedAt: number
  readonly deadline: number
}

/** Variables for Claude Code's own telemetry, in force until `end`. */
export interface Telemetry {
  readonly env: Readonly<Record<string, string>>
  end(): void
}

/**
 * The places where features take part in handling a message. While Iris is being composed, before the first message, at
 * most one feature fills each seam; `unfilled` has the defaults. The kernel reads a seam only when it needs it.
 */
export interface Seams {
  /** Before Iris uses a process: whether a person has the conversation open. */
  readonly holders: OpenElsewhere
  /**
   * At acceptance, before a process is used, at each line and at each end: whether Claude Code accounts still accept
   * messages.
   */
  readonly accounts: AccountWaits
  /** At acceptance, at each line and at the end: how much a message and everything it causes may use. */
  readonly budgets: TreeBudgets
  /** At acceptance and before each delivery: the files of a message. */
  readonly files: MessageFiles
  /** Before acceptance, and when an agent gives a value: the schemas of messages and answers. */
  readonly contracts: MessageContracts
  /** Messages for sessions that people have open. */
  readonly openSessions: OpenSessions
  /** Teams on other hosts, and conversations that other hosts may continue. */
  readonly otherHosts: OtherHosts
  /**
   * When a message is delivered: facts about the asker for the model, serialised as JSON. Reads committed rows only.
   */
  readonly context: { readonly of: (session: Session, turnId: string) => object | undefined }
  /** When a process starts: what its agent learns about its role. */
  readonly roles: {
    readonly instructions: (role: Role, project: Pick<ProjectFiles, 'readText'>) => Promise<string>
  }
  /** When a process starts, before each of its tools, and when Claude Code asks about a tool. */
  readonly rules: ToolRules
  /** Why a message waits: the oldest open permission request of a turn, or of a session by its row id. */
  readonly questions: {
    readonly ofTurn: (turnId: string) => OpenQuestion | undefined
    readonly ofSession: (session: number) => OpenQuestion | undefined
  }
  /** Before each tool and with its result: agents that change the same file. */
  readonly collisions: ToolCollisions
  /** When a process starts: the variables with which it sends its telemetry to Iris. Undefined if it sends none. */
  readonly telemetry: { readonly of: (session: Session, team: TeamConfig) => Promise<Telemetry | undefined> }
  /**
   * Which turn gets a process first, and which process makes room. Undefined if the order of arrival and the order of
   * use decide.
   */
  readonly usualTimes: { readonly inForce: () => UsualTimes | undefined }
  /**
   * Records actions and refusals. If the store cannot commit the entry with its transaction, this throws inside that
   * transaction.
   */
  readonly audit: AuditRecords
  /**
   * While a process is running: its tools, its questions, and its calls to Iris. `startId`: the id of this start of the
   * process.
   */
  readonly control: { readonly of: (session: Session, startId: string) => ControlHandler }
}

/** The error if `what`, a part of a message, needs a feature that this Iris lacks. */
export function featureMissing(feature: string, what: string): IrisError {
  return new IrisError(
    'feature_missing',
    `This Iris runs without its feature "${feature}", so it cannot accept ${what}.`,
    'Send the message without it, or start an Iris that has the feature.',
  )
}

/** A method that throws `feature_missing`: the default where a message cannot continue without the feature. */
const missing = (feature: string, what: string) => (): never => {
  throw featureMissing(feature, what)
}

/** The defaults without features. They never allow anything that the feature would forbid. */
const unfilled: Seams = {
  holders: {
    refresh: async () => {},
    holderOf: () => undefined,
    unlessHeld: (_session, launch) => launch(),
    whenLeft: async () => {},
  },
  accounts: {
    of: () => undefined,
    refuse: () => {},
    passed: async () => {},
    saw: () => {},
    judged: () => {},
    waitsElsewhere: () => {},
    refusedAt: () => undefined,
    holds: () => false,
  },
  budgets: {
    admit: (_parent, asked, shared) =>
      asked === undefined && shared === undefined ? undefined : missing('budgets', 'a message with a budget')(),
    leftFor: () => undefined,
    opened: () => {},
    takenUp: () => {},
    look: () => {},
    saw: () => {},
    settled: () => {},
    close: () => {},
    figures: () => ({ used: { turns: 1, tokens: 0, time: 0, cost: 0 } }),
  },
  files: {
    admitted: ({ attachments = [] }) =>
      attachments.length === 0 ? null : missing('attachments', 'files with a message')(),
    keep: () => {},
    withContent: missing('attachments', 'files with a message'),
    handOver: missing('attachments', 'files with a message'),
  },
  contracts: {
    concerns: ({ responseSchema }) => responseSchema !== undefined,
    admitted: missing('typed', 'a message with a schema'),
    give: missing('typed', 'a value'),
  },
  openSessions: {
    refuse: missing('live', 'a message for an open session'),
    carry: missing('live', 'a message for an open session'),
  },
  otherHosts: {
    shared: { concerns: () => false, delivers: async () => true, starts: async () => true },
    isThere: () => false,
    away: () => undefined,
    teamNames: () => [],
    mustOffer: missing('cluster', 'a message for a team on another host'),
    carry: missing('cluster', 'a message for a team on another host'),
    chainBefore: () => undefined,
    limitOf: () => undefined,
  },
  context: { of: () => undefined },
  roles: { instructions: missing('roles', 'a message with a role') },
  rules: withoutRules,
  questions: { ofTurn: () => undefined, ofSession: () => undefined },
  collisions: withoutCollisions,
  telemetry: { of: async () => undefined },
  usualTimes: { inForce: () => undefined },
  audit: { record: missing('audit', 'a call that must be recorded') },
  control: { of: missing('control', 'a process') },
}

/** The parts of a turn that decide which features it needs. */
export interface NeedsFeatures {
  readonly thread: string
  readonly responseSchema: unknown
  readonly attachments: readonly unknown[] | null
  readonly budget: unknown
}

/**
 * The error for a turn that needs a feature which this Iris lacks. Undefined if Iris has all features that the turn
 * needs.
 */
export function missingFor(turn: NeedsFeatures, seams: Seams): IrisError | undefined {
  if (turn.responseSchema !== null && seams.contracts === unfilled.contracts)
    return featureMissing('typed', 'a message with a schema')
  if (turn.attachments !== null && seams.files === unfilled.files)
    return featureMissing('attachments', 'files with a message')
  if (turn.budget !== null && seams.budgets === unfilled.budgets)
    return featureMissing('budgets', 'a message with a budget')
  if (isRoleThread(turn.thread) && seams.roles === unfilled.roles)
    return featureMissing('roles', 'a message with a role')
  return undefined
}

/**
 * Methods that only observe or report, so their errors must not stop a message. All other methods may refuse a message,
 * so their errors do stop it.
 */
const observers: { readonly [Seam in keyof Seams]?: readonly (keyof Seams[Seam])[] } = {
  accounts: ['of', 'saw', 'judged', 'waitsElsewhere'],
  budgets: ['opened', 'takenUp', 'look', 'saw', 'settled'],
  otherHosts: ['limitOf'],
  questions: ['ofTurn', 'ofSession'],
  usualTimes: ['inForce'],
}

/** Returns the seams before any feature has filled them. `fill` fills them. */
export function openSeams(): Seams {
  return { ...unfilled }
}

/**
 * Puts the parts of a feature into the seams. `onFault` gets an observer's error and the method's name. Throws if
 * another feature has filled a seam already.
 */
export function fill(
  seams: Seams,
  feature: string,
  parts: Partial<Seams>,
  onFault: (what: string, error: unknown) => void,
): void {
  for (const [name, part] of Object.entries(parts)) {
    const seam = name as keyof Seams
    if (seams[seam] !== unfilled[seam]) throw new Error(`${feature}: another feature has filled the seam ${seam}`)
    const caught = new Set<string>((observers[seam] ?? []) as readonly string[])
    const filled = caught.size === 0 ? part : withFaultsCaught(part, Object.keys(unfilled[seam]), caught, onFault)
    Object.assign(seams, { [seam]: filled })
  }
}

/**
 * A copy of the part, in which errors of the methods in `caught` go to `onFault`, and those methods then return
 * undefined.
 */
function withFaultsCaught(
  part: object,
  names: readonly string[],
  caught: ReadonlySet<string>,
  onFault: (what: string, error: unknown) => void,
): object {
  const members = part as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    names.map((name) => {
      const member = members[name]
      if (typeof member !== 'function') return [name, member]
      const method = (...args: unknown[]): unknown => member.call(part, ...args)
      return [name, caught.has(name) ? unlessItThrows(method, (error) => onFault(name, error)) : method]
    }),
  )
}

function unlessItThrows(method: (...args: unknown[]) => unknown, onError: (error: unknown) => void) {
  return (...args: unknown[]): unknown => {
    try {
      return method(...args)
    } catch (error) {
      onError(error)
      return undefined
    }
  }
}

/** A conversation's usual behaviour, measured by the feature insight. */
export interface UsualTimes {
  /**
   * The cost of keeping this conversation's process: if it is kept for the best length of time, how many milliseconds
   * it would be idle for each message that it answers in that time. `now`: milliseconds since the epoch. `unusedMs`:
   * how long the process has been unused, which matters for a conversation that has had no message.
   */
  msPerMessage(pair: Pair, now: number, unusedMs: number): number
  /** How long the conversation's answers take, milliseconds. */
  answerMs(pair: Pair): number
}

/** The sessions that people have open in their own Claude Code, and the messages for them. */
export interface OpenSessions extends Pick<OtherHosts, 'carry'> {
  /** Throws the reason if no open session can accept the message. */
  readonly refuse: (ask: Ask) => void
}
