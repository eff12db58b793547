/**
 * Seconds of processor that each part of `.ci/run` may take: two runs can be compared in them, however busy the machine is. What adds
 * to a part names what it takes out.
 */
export const budgets: Readonly<Record<string, number>> = {
  check: 45,
  fast: 65,
  standard: 600,
  thorough: 900,
  /** Specs that run a second time with all teams elsewhere, and tests with the older Claude Code. */
  elsewhere: 150,
}
