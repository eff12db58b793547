/** `npm test` runs one of several ways to show the same; `npm run test:all`, or naming the file, runs them all. */
export const isStandard = process.env['IRIS_TESTS'] === 'standard'

/** The first of several ways in `npm test`, all of them in the thorough tier. */
export const firstIn = <Way>(ways: readonly Way[]): readonly Way[] => (isStandard ? ways.slice(0, 1) : ways)
