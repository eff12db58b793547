import fc from 'fast-check'

/**
 * Set up before each file of tests: properties draw the same cases in every run, so that a run that fails does so for its change.
 * `IRIS_SEED=7 npm test` draws other ones, as `npm run nightly` does. fast-check prints the seed of a failure.
 */
const seed = Number(process.env['IRIS_SEED'] ?? 20_261_122)
if (!Number.isSafeInteger(seed)) throw new Error(`IRIS_SEED is not an integer: ${process.env['IRIS_SEED']}`)
fc.configureGlobal({ seed })
