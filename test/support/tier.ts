/** `npm test` runs one of several ways to show the same; `npm run test:all`, or naming the file, runs them all. */
export const isStandard = process.env['IRIS_TESTS'] === 'standard'
