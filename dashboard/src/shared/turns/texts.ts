/** What this part of the dashboard says, in one place so that it can be translated. */
export const texts = {
  filesOfTheMessage: 'Files of the message',
  deleted: 'deleted',
  downloadFile: (name: string) => `Download ${name}`,
  downloadLabel: ' Download',
  firstCheckWhatWas: 'First check what was done. What has run may run again.',
  leaveItAsIt: 'Leave it as it is',
  putAside: 'Put aside',
  retry: 'Retry',
  retryAMessageIn: 'Retry a message in doubt?',
  retryAllTheSame: 'Retry all the same',
  sending: 'Sending…',
}
