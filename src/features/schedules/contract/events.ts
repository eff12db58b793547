/** The events of this feature, by their types. */
export interface ScheduleEvents {
  /** A message was scheduled, was sent at its time, or will not be sent any more. */
  readonly 'schedules-changed': Readonly<Record<never, never>>
}

declare module '../../../base/protocol/event.ts' {
  interface EventTypes extends ScheduleEvents {}
}
