/** The connection to the machine of a program is lost. `since`: milliseconds since the epoch. */
export interface CutOff {
  /** The machine, for people. */
  readonly host: string
  readonly since: number
  /** For people. */
  readonly why: string
}
