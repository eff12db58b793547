/** A text is not a valid rule; the message says why, as the end of a sentence. */
export class RuleMistake extends Error {}
