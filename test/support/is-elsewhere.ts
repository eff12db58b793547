/** Set for the project "elsewhere" of vitest.config.ts, which runs specs unchanged against teams on another machine. */
export const isElsewhere = process.env['IRIS_TEST_TEAMS'] === 'elsewhere'
