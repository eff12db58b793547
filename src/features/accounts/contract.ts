/** The events of this feature, by their types. */
export interface AccountEvents {
  /** The account of the team is over a limit, or its login has run out; `until` in milliseconds since the epoch. */
  readonly 'account-limited': { readonly team: string; readonly window: string; readonly until: number }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends AccountEvents {}
}
