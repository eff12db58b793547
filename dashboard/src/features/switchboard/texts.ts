import { counted } from '../../shared/format/counted.ts'

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  actions: 'Actions',
  actionsForTo: (from: string, to: string, rest: string) => `Actions for ${from} to ${to}${rest}`,
  allStates: 'All states',
  allTeams: 'All teams',
  load: (own: number, outgoing: number, running: number) =>
    `${counted(own, 'conversation')} · ${outgoing} outgoing · ${running} running`,
  showArchived: 'Show archived',
  asks: 'asks',
  chooseNewConversationOr: 'Choose “New conversation”, or let one of your projects ask another one.',
  contextOfTo: (from: string, to: string) => `Context of ${from} to ${to}`,
  conversationsList: 'Conversations',
  continueInTerminal: 'Continue in terminal…',
  deleteItsTranscriptsToo:
    'Delete its transcripts too: Claude Code’s own record and the readable copies. This can’t be undone.',
  failed: 'failed ',
  filledAwakeDashedAt:
    'Filled: awake. Dashed: working now, in the colour of its state. Thin: recent, fading over a day. +2: two messages waiting. Choose a team to see only its conversations.',
  find: 'Find…',
  findInNamesThreads: 'Find in names, threads and ids',
  irisStartsAProcess: (length: number, maxProcesses: number) =>
    `Iris starts a process for each of the ${length} teams that has none, until the pool is full at ${maxProcesses}. Each takes about 250 MB of memory. No message is sent.`,
  leave: 'Cancel',
  loading: 'Loading…',
  mapWhoAsksWhom: 'Map: who asks whom. Arrow keys go from team to team, Enter opens one.',
  noConversationMatchesRemove: 'No conversation matches. Remove filters, or show all.',
  noMessagesYet: 'No messages yet.',
  noTunnel: (why = '') => `, no tunnel (${why})`,
  noState: 'none',
  shownOf: (sessions: number, length: string) => `${sessions} of ${length}`,
  ofProcesses: (maxProcesses: number) => ` of ${maxProcesses} processes`,
  openTheConversation: 'Open the conversation',
  putToSleep: (resting: number) => `Put to sleep (${resting})`,
  showAll: 'Show all',
  showOlderConversations: 'Show older conversations',
  state: 'State',
  switchboard: 'Switchboard',
  teamField: 'Team',
  teamPanel: (name: string) => `Team ${name}`,
  theQuieterTeamsAre: (hidden: number) =>
    ` The ${hidden} quieter teams are shown as one node; “Team” below lists them all.`,
  theSwitchboard: 'the switchboard',
  inThread: (thread: string) => `, ${thread}`,
  threadOfTheNew: 'Thread of the new conversation',
  tunnelOpen: ', tunnel open',
  wake: 'Wake',
  wakeAll: 'Wake all',
  wakeAllTeams: 'Wake all teams…',
  wakeAllTeamsQuestion: 'Wake all teams?',
  waking: 'Waking…',
  whatHappens: 'What happens',
  working: 'Working…',
  conversations: (count: number) => counted(count, 'conversation'),
  columns: {
    pair: 'Conversation',
    state: 'State',
    queue: 'Queue',
    messages: 'Messages',
    lastAnswer: 'Last answer',
    context: 'Context',
    cost: 'Cost',
  },
  verbs: {
    wake: 'Wake',
    sleep: 'Put to sleep',
    cancel: 'Stop the running message',
    reboot: 'Start over',
    fork: 'Fork',
    delete: 'Delete',
  },
  verbFor: (verb: string, pair: string) => `${verb}: ${pair}`,
  archivedMeanwhile: 'It was archived in the meantime. Nothing can be done here.',
  copiedTakeOver: 'Copied. Paste it into a terminal: Iris waits while you have the conversation open.',
  // What Iris did with a conversation, for example "frontend → backend".
  performed: {
    wasAwake: (pair: string) => `${pair} was already awake.`,
    isAwake: (pair: string) => `${pair} is awake.`,
    wasAsleep: (pair: string) => `${pair} was already asleep.`,
    isAsleep: (pair: string) => `${pair} is asleep.`,
    isAsleepAndCancelled: (pair: string) => `${pair} is asleep; its message was cancelled.`,
    forked: (pair: string, thread: string) =>
      `${pair} was forked: thread ${thread} begins with everything said so far.`,
  },
  wasAwakeForYou: (team: string) => `${team} was already awake for you.`,
  isAwakeForYou: (team: string) => `${team} is awake for you.`,
  areAsleep: (team: string, asleep: number, working: number) =>
    `${asleep} of ${team}’s processes put to sleep.${working === 0 ? '' : ` ${counted(working, 'is still working', 'are still working')}.`}`,
  // What a verb takes away and what it leaves, before a person confirms it.
  losses: {
    running: (team: string) =>
      `The message that ${team} is working on is cancelled. What it has done so far stays done.`,
    queued: {
      delete: (count: number) => `${waiting(count)} ${count === 1 ? 'is' : 'are'} cancelled too.`,
      reboot: (count: number) => `${waiting(count)} ${count === 1 ? 'continues' : 'continue'} in the new conversation.`,
      sleep: (count: number) =>
        `${waiting(count)} ${count === 1 ? 'continues' : 'continue'} afterwards, which starts the process again.`,
      wake: (count: number) => `${waiting(count)} ${count === 1 ? 'continues' : 'continue'} afterwards.`,
      cancel: (count: number) => `${waiting(count)} ${count === 1 ? 'continues' : 'continue'} afterwards.`,
    },
    openElsewhere: (pid: number) =>
      `You have it open in a terminal (process ${pid}): what you say there from now on is no longer part of it.`,
    nothingAnswered: 'Nothing has been answered in it yet.',
    past: (team: string, messages: number) =>
      `${team} no longer knows what was said: the conversation with its ${counted(messages, 'message')} is archived.`,
    nothingRuns: 'Nothing runs.',
    kept: {
      cancel: 'The process keeps running, and the conversation continues.',
      reboot: 'Its transcripts are kept, and a process is ready with an empty conversation.',
      delete: 'The next message opens a new conversation.',
      fork: 'This conversation does not change. Forking calls no model.',
      sleep: 'The conversation is kept; the next message wakes it.',
      wake: 'The conversation is kept; the next message wakes it.',
    },
  },
  links: { connecting: 'connecting', connected: 'connected', unreachable: 'unreachable', asleep: 'asleep' },
  // What a screen reader says about a team on the map.
  quieterTeams: (count: number) => `${count} quieter teams`,
  formerTeam: (name: string) => `${name} (not configured any more)`,
  awake: (count: number) => `awake (${count})`,
  atWork: (count: number) => `${count} working`,
  queued: (count: number) => `${count} queued`,
  asksThese: (teams: string) => `asks ${teams}`,
  askedBy: (teams: string) => `is asked by ${teams}`,
  isNow: (team: string) => `${team} (now)`,
  today: (team: string, count: number) => `${team} (${count} today)`,
}

function waiting(count: number): string {
  return count === 1 ? 'The waiting message' : `The ${count} waiting messages`
}
