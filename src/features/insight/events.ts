import { pairText } from '../../base/protocol/pair.ts'
import { type EventTexts, turnLine } from '../../kernel/call/event-texts.ts'
import type { InsightEvents } from './contract/events.ts'

/** The log and audit entries for this feature's events. */
export const insightEvents: EventTexts<keyof InsightEvents> = {
  'files-collided': {
    log: (event) =>
      turnLine(event, 'warn', 'Another message is changing this file', { path: event.path, other: event.otherTurnId }),
    audit: ({ path, turnId, otherTurnId, ...event }) => ({
      action: 'files.collided',
      subject: pairText(event),
      detail: { path, turnId, otherTurnId },
    }),
  },
  'answers-drifted': {
    log: ({ team, turns }) => ({
      context: 'insight',
      level: 'info',
      ids: { team },
      message: `Files changed that ${turns} earlier ${turns === 1 ? 'answer' : 'answers'} relied on`,
    }),
    audit: ({ team, turns }) => ({ action: 'answers.drifted', subject: team, detail: { turns } }),
  },
  'answer-outdated': {
    log: (event) => turnLine(event, 'info', 'Reported a changed file to the asker', { path: event.path }),
    audit: ({ turnId, path, ...event }) => ({
      action: 'answer.outdated',
      subject: pairText(event),
      detail: { turnId, path },
    }),
  },
  'answer-kept': {
    log: (event) => turnLine(event, 'info', 'Answer reused', {}),
    audit: ({ turnId, ...event }) => ({
      action: 'answer.kept',
      subject: pairText(event),
      detail: { turnId },
    }),
  },
  'warmed-ahead': {
    log: ({ from, to, asker }) => ({
      context: 'insight',
      level: 'info',
      ids: { from, to, asker },
      message: 'Process started ahead of an ask',
    }),
    audit: ({ asker, from, to }) => ({
      action: 'process.warmed',
      subject: `${from}→${to}`,
      detail: { asker },
    }),
  },
  'process-kept': {
    log: ({ from, to, sessionId, instead }) => ({
      context: 'insight',
      level: 'info',
      ids: { from, to, sessionId, ended: `${instead.from}→${instead.to}` },
      message: 'Process kept, because another one is expected to be needed later',
    }),
    audit: ({ instead, ...event }) => ({
      action: 'process.kept',
      subject: pairText(event),
      detail: { ended: pairText(instead) },
    }),
  },
  'turn-overtook': {
    log: (event) =>
      turnLine(event, 'info', 'Turn went first, because its answer is usually short', { overtaken: event.overtaken }),
    audit: ({ turnId, overtaken, ...event }) => ({
      action: 'turn.overtook',
      subject: pairText(event),
      detail: { turnId, overtaken },
    }),
  },
  // Logged once the fault has healed.
  'fault-found': {
    audit: ({ fault, subject }) => ({ action: 'fault.found', subject, detail: { fault } }),
  },
  'fault-healed': {
    log: ({ fault, subject, tookMs }) => ({
      context: 'healing',
      level: 'info',
      ids: { subject, tookMs },
      message: `Healed: ${fault}`,
    }),
    audit: ({ fault, subject, tookMs }) => ({
      action: 'fault.healed',
      subject,
      detail: { fault, tookMs },
    }),
  },
  reflected: {
    log: ({ asks, suggestions }) => ({
      context: 'insight',
      level: 'info',
      ids: { asks, suggestions },
      message: 'Weekly reflection done; iris insight reflect shows it',
    }),
    audit: ({ asks, suggestions }) => ({
      action: 'insight.reflected',
      subject: 'messages',
      detail: { asks, suggestions },
    }),
  },
  // decide_suggestion is audited as a call.
  'suggestion-decided': {
    log: ({ team, kind, decision, suggestionId }) => ({
      context: 'insight',
      level: 'info',
      ids: { team, kind, suggestionId },
      message: `Suggestion ${decision}`,
    }),
  },
}
