/** About 10 000 tokens, so that the opening does not fill the new conversation at once. */
const maxCharacters = 40_000

interface Exchange {
  readonly message: string
  readonly answer: string
}

/**
 * The opening of a conversation that replaces another: the model's summary, if there is one, and the last exchanges
 * verbatim, because newer builds leave those out of the summary. `newestFirst`: the exchanges to repeat, newest first.
 */
export function whatWasSaid(summary: string | undefined, newestFirst: readonly Exchange[]): string {
  const begun = summary === undefined ? 'No summary could be made.' : short(summary)
  const last: string[] = []
  let left = maxCharacters
  for (const { message, answer } of newestFirst) {
    if (left === 0) break
    const text = `Question:\n${message}\n\nYour answer:\n${answer}`.slice(0, left).toWellFormed()
    left -= text.length
    last.unshift(text)
  }
  return last.length === 0 ? begun : `${begun}\n\nThe last questions and answers were:\n\n${last.join('\n\n')}`
}

function short(summary: string): string {
  if (summary.length <= maxCharacters) return summary
  return `${summary.slice(0, maxCharacters).toWellFormed()}\n(The summary goes on; the rest was left out.)`
}
