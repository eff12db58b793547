export interface Row {
  readonly id: string
  readonly what: string
  /** For people. */
  readonly measured: string
  readonly aim: string
  /** The numbers behind it. */
  readonly data: unknown
}
