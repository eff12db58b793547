/** A text is no rule; the message says why, as the end of a sentence. */
export class RuleMistake extends Error {}
