/** What no rule is: why, as the end of a sentence. */
export class RuleMistake extends Error {}
