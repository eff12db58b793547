/** Of this Iris; the same as in package.json, which a test holds. */
export const irisVersion = '0.1.0'
