/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  cannotBeReached: "Iris can't be reached.",
  cannotBeReachedRemedy: 'This page retries automatically. If Iris isn\'t running, start it with "iris start".',
  lookAtTheLog: "Check Iris's log.",
  notReadable: (status: number) => `Iris answered with status ${status} and an unreadable body.`,
}
