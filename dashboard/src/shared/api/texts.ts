/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  cannotBeReached: 'Iris cannot be reached.',
  cannotBeReachedRemedy: 'This page retries by itself. "iris start" starts Iris where it does not run.',
  lookAtTheLog: 'Look at the log of Iris.',
  notReadable: (status: number) => `Iris answered with ${status} and nothing that could be read.`,
}
