import type { Broken } from '../../base/protocol/broken.ts'
import type { EventTypes } from '../../base/protocol/event.ts'
import type { Need, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import type { Seams } from '../session/seams.ts'
import type { EventTexts } from './event-texts.ts'
import type { AfterCall, Handlers } from './operations.ts'

/** What a feature adds to Iris. Every part is optional, except `gives`. */
export interface Opened<Gives extends object> {
  /** The parts that later features, views and adapters use. */
  readonly gives: Gives
  /** The handlers of its operations. */
  readonly handlers?: Partial<Handlers>
  /** The seams of the kernel that it fills. */
  readonly seams?: Partial<Seams>
  /** Whether the configuration uses the feature. If absent, it is always used. */
  isOn?(): boolean
  /** The parts of the feature that currently do not work, as shown on every page, in the inbox and on Health. */
  broken?(): readonly Broken[]
  /** What needs the owner because of this feature, in the given conversations or elsewhere. The inbox lists it. */
  needs?(urgent: readonly UrgentSession[]): readonly Need[]
  /** May add to the answer of any operation. */
  readonly afterCall?: AfterCall
  /**
   * Called when the turns of an earlier daemon have been resumed and messages may arrive. `prewarmed` never rejects. It
   * resolves when the busiest pairs have a process. The start of Iris counts as over once the returned promise has
   * settled.
   */
  begin?(prewarmed: Promise<void>): unknown
  /** Called when the configuration has changed. */
  changed?(): void
  /** Called when Iris is stopping. Nothing new begins, but messages in progress are finished. */
  quiet?(): unknown
  /**
   * Called when the last message has ended, but the processes are still alive. Features are called in reverse order.
   */
  end?(): unknown
  /** Called when the processes have ended. The returned promise is awaited before the store closes. */
  ended?(): unknown
  /** The last call, just before the store closes. Features are called in reverse order. */
  close?(): void
  /** Called when the store's file has been put back to an earlier state while Iris is running. */
  storePutBack?(): void
}

/**
 * A feature. `Needs` is what it requires from the kernel and from the features before it: `open` gets an object with at
 * least these parts. `open` runs before the turns of an earlier daemon are loaded, and must not send or start anything.
 */
export interface Feature<Needs, Gives extends object> extends Declared {
  /** The name of its folder. */
  readonly name: string
  readonly open: Open<Needs, Gives>
}

/** A feature's declaration, known before the feature is opened. */
interface Declared {
  /** The log and audit entries for its events. */
  readonly events?: Partial<EventTexts<keyof EventTypes>>
}

type Open<Needs, Gives extends object> = (parts: Needs) => Opened<Gives>

/** Declares a feature; `name` is the name of its folder. */
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
