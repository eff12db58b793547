/** The version of this Iris. A test checks that package.json has the same. */
export const irisVersion = '0.1.0'
