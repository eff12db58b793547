/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  andWorse: (level: string) => `${level} and worse`,
  cameTooFastTo: (missed: string) => ` ${missed} came too fast to be shown here.`,
  chooseAnotherLevelTeam: 'Choose another level, team or part, or take the text out.',
  download: 'Download',
  error: 'error',
  goOnNew: (fresh: string) => `Go on (${fresh} new)`,
  irisHasSaidNothing: 'Iris has said nothing yet.',
  linesToShow: 'Lines to show',
  log: 'Log',
  logs: 'Logs',
  noLineMatches: 'No line matches.',
  ofLinesSinceThe: (shown: string, lines: string) => `${shown} of ${lines} lines since the start of Iris.`,
  pause: 'Pause',
}
