/** Each night, and for a file that is named, everything runs: both versions of Claude Code, the real one wherever it can, each variation. */
export const isNightly = process.env['IRIS_CLAUDE'] === 'both'

/** Elsewhere one of several ways to show the same runs. */
export const isBrief = !isNightly

/** `npm test`. */
export const isStandard = process.env['IRIS_TESTS'] === 'standard'

/** The first of several ways; all of them each night, and for a file that is named. */
export const firstIn = <Way>(ways: readonly Way[]): readonly Way[] => (isBrief ? ways.slice(0, 1) : ways)
