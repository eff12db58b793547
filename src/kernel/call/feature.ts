import type { Broken } from '../../base/protocol/broken.ts'
import type { EventTypes } from '../../base/protocol/event.ts'
import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import type { Seams } from '../session/seams.ts'
import type { EventTexts } from './event-texts.ts'
import type { AfterCall, Handlers } from './operations.ts'

/** What a feature adds to Iris. It takes no part in whatever it leaves out. */
export interface Opened<Gives extends object> {
  /** Its parts that features after it, views and adapters use. */
  readonly gives: Gives
  /** What its operations do. */
  readonly handlers?: Partial<Handlers>
  /** The places in the kernel that it fills. */
  readonly seams?: Partial<Seams>
  /** Whether the configuration makes use of it; absent: always. */
  isOn?(): boolean
  /** The parts of it that currently do not work, as shown on every page, in the inbox and on Health. */
  broken?(): readonly Broken[]
  /** What of it needs the owner, in these conversations or in others, as the inbox lists it. */
  needs?(urgent: readonly UrgentSession[]): readonly Need[]
  /** Adds to the answer of any operation. */
  readonly afterCall?: AfterCall
  /**
   * The turns of a former daemon are taken up, and messages may come. `prewarmed` resolves when the busiest pairs have a
   * process; the start of Iris counts as over when what this returns has settled. Never rejects.
   */
  begin?(prewarmed: Promise<void>): unknown
  /** Another configuration is in force. */
  changed?(): void
  /** Iris stops: nothing new begins, and messages in progress still end. */
  quiet?(): unknown
  /** The last message has ended, and the processes still live. Called in reverse order of the features. */
  end?(): unknown
  /** The processes have ended. What this returns is awaited before the store closes. */
  ended?(): unknown
  /** The last call, before the store closes. Called in reverse order of the features. */
  close?(): void
  /** The file of the store was put back to an earlier state while Iris ran. */
  storePutBack?(): void
}

/**
 * A feature. `Needs` is what it takes of the kernel and of the features before it: `open` gets an object that has at least
 * that. `open` runs before the turns of an earlier daemon are loaded, and must not send or start anything.
 */
export interface Feature<Needs, Gives extends object> extends Declared {
  /** Its folder. */
  readonly name: string
  readonly open: Open<Needs, Gives>
}

/** A feature's declaration, known before the feature is opened. */
interface Declared {
  /** The log and audit entries for its events. */
  readonly events?: Partial<EventTexts<keyof EventTypes>>
}

type Open<Needs, Gives extends object> = (parts: Needs) => Opened<Gives>

/** Declares a feature; `name` is that of its folder. */
export function feature<Needs, Gives extends object>(name: string, open: Open<Needs, Gives>): Feature<Needs, Gives>
export function feature<Needs, Gives extends object>(
  name: string,
  declared: Declared,
  open: Open<Needs, Gives>,
): Feature<Needs, Gives>
export function feature<Needs, Gives extends object>(
  name: string,
  ...[first, second]: [Open<Needs, Gives>] | [Declared, Open<Needs, Gives>]
): Feature<Needs, Gives> {
  return typeof first === 'function' ? { name, open: first } : { name, open: second!, ...first }
}
