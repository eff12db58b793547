/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  attach: ' Attach…',
  attachedFiles: 'Attached files',
  sentAsYou: 'Sent as you.',
  ctrlEnterSends: 'Ctrl+Enter sends.',
  itWasNotSent: (message: string, remedy: string) => `It was not sent. ${message} ${remedy}`,
  main: 'main',
  messageField: 'Message',
  notAttached: (problems: string) => `Not attached: ${problems}`,
  remove: (name: string) => `Remove ${name}`,
  send: 'Send',
  sending: 'Sending…',
  team: 'Team',
  thread: 'Thread',
  cannotBeRead: (file: string) => `${file} can't be read.`,
  // What the keys do in a conversation.
  enterDoes: {
    send: 'Enter sends, Shift+Enter begins a new line.',
    line: 'Shift+Enter sends, Enter begins a new line.',
  },
  turnRound: 'Swap',
  fileTooLarge: (file: string) => `${file} is larger than 10 MB.`,
  filesTooLarge: (file: string) => `With ${file}, the files would exceed 20 MB.`,
  tooManyFiles: (file: string, most: number) => `${file} is one too many: a message can have ${most} files.`,
}
