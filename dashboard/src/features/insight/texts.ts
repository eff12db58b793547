import { askerName } from '../../shared/format/asker.ts'
import { counted } from '../../shared/format/counted.ts'

/** The texts of this part of the dashboard, in one place so that they can be translated. */
export const texts = {
  add: 'Add the rule',
  addThis: (about: string) => `Add the rule: ${about}`,
  addTheRule: "With the rule in the team's config.yaml entry, nobody is asked.",
  aFileHasChanged: 'A file that the answer relied on has changed since.',
  letClaudeMdAnswer: "Let the team's CLAUDE.md answer it, so that nobody asks again.",
  answersOutOfDate: 'Answers out of date',
  answersThatContradict: 'Answers that contradict each other',
  askedRepeatedly: 'Asked repeatedly',
  asks: 'asks',
  busy: (begin: string, end: string, factor: string) =>
    `From ${begin} to ${end}, ${factor} times as many messages arrive as in an average hour.`,
  chain: (from: string, to: string, next: string, times: string, asks: string) =>
    `${askerName(from)} → ${to} leads to ${to} → ${next}: ${times} of ${counted(asks, 'time')}.`,
  failing: (from: string, to: string, failed: string, ended: string) =>
    `${failed} of ${counted(ended, 'message')} from ${askerName(from)} to ${to} failed.`,
  habits: 'Recurring patterns',
  lookAtTheMessages: 'Each line links to messages that show it.',
  slow: (team: string, tool: string, p50: string, p95: string) => `${team} waits for ${tool}: p50 ${p50}, p95 ${p95}.`,
  patternsAreOff: 'insight.patterns is false in config.yaml.',
  reflectionIsOff: 'Iris suggests nothing: insight.reflection is false in config.yaml.',
  healingIsOff: 'insight.healing is false in config.yaml.',
  driftIsOff: 'insight.drift is false in config.yaml.',
  thePatterns: 'the patterns',
  cannotBeChanged: (problem: string | undefined) => `CLAUDE.md cannot be changed: ${problem}`,
  changed: 'changed',
  claudeMdWasChanged: 'CLAUDE.md was changed.',
  copyTheQuery: 'Copy the query',
  costOf: (cost: string, share: string, messages: string) => `${cost}, ${share}, ${counted(messages, 'message')}`,
  decided: 'Decided',
  decisions: { applied: 'applied', refused: 'dismissed' },
  decidedDoesNotComeBack: "You decided these. We won't suggest them again.",
  findOutWhichIsRight: "Find out which one is right, and write it into the team's CLAUDE.md.",
  faults: 'Faults',
  found: (suggestions: string) => counted(suggestions, 'suggestion'),
  collided: (times: string) =>
    `${counted(times, 'collision')}: two running messages used a file that one of them was about to change. Iris told both agents.`,
  toldAtOnce: (times: string) =>
    `${counted(times, 'answer')} went out of date, because a file behind it changed. Iris told the asker at once.`,
  kept: (times: string, saved: string, time: string) =>
    `${counted(times, 'answer was', 'answers were')} reused, which saved ${saved} and ${time}.`,
  startedAhead: (starts: string, used: string, time: string) =>
    `${counted(starts, 'process was', 'processes were')} started ahead of time. ${used} got a message, which saved ${time}.`,
  balanced: (kept: string, used: string, time: string, overtaken: string) =>
    `${counted(kept, 'process was', 'processes were')} kept for messages that were expected sooner. ${used} got one, which saved ${time}. ${counted(overtaken, 'time')}, a message with a short answer ran first.`,
  ruleWasAdded: 'The rule was added to config.yaml.',
  weekly: 'Weekly reflection',
  healedIn: (time: string) => `Healed in ${time}.`,
  notHealedYet: 'Not healed yet.',
  theFaults: 'the faults that were healed',
  whatIrisFound: 'What Iris found, what it did, and when an answer or an event proved it healed.',
  goingInCircles: 'Going in circles',
  howItWouldChange: 'How CLAUDE.md would change',
  insight: 'Insight',
  later: 'later',
  lookAtTheMessage: 'Look at the message: the agent repeated itself.',
  mostExpensivePairs: 'Most expensive pairs',
  nothingWasFound: (kinds: string, number: number) =>
    `No suggestions of ${number === 1 ? 'this kind' : 'these kinds'}: ${kinds}.`,
  query: 'Query',
  questionsAllAllowed: (times: string) => `${counted(times, 'permission request')}, all allowed`,
  read: (messages: string, calls: string, requests: string) =>
    `Based on ${some(messages, 'message')}, ${some(calls, 'tool call')} and ${some(requests, 'permission request')} in the last 30 days. No tokens used.`,
  dismiss: 'Dismiss',
  dismissed: "Dismissed. We won't suggest it again.",
  dismissThis: (about: string) => `Dismiss: ${about}`,
  rounds: (rounds: number) => counted(rounds, 'time'),
  ruleFor: (rule: string, team: string) => `${rule} for ${team}`,
  rulesThatWouldHaveSaved: 'Rules that would have saved permission requests',
  askedSince: (times: number) => `, asked ${counted(times, 'time')} since`,
  theSuggestions: 'the suggestions',
  theOutdatedAnswers: 'answers that are out of date',
  wasAsked: (times: number) => `was asked ${counted(times, 'time')}`,
  whereMostIsSaved: 'Where a rule, a CLAUDE.md or a smaller model saves most.',
  write: 'Write into CLAUDE.md',
  writeThis: (about: string) => `Write into CLAUDE.md: ${about}`,
}

/** `no messages`, `1 message`, `8 messages` */
function some(count: string, one: string): string {
  return counted(count === '0' ? 'no' : count, one)
}
