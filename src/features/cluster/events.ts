import { pairText } from '../../base/protocol/pair.ts'
import { cutCause, type EventTexts, sessionLine, turnLine } from '../../kernel/call/event-texts.ts'
import type { ClusterEvents } from './contract.ts'

/** The log and audit entries for this feature's events. */
export const clusterEvents: EventTexts<keyof ClusterEvents> = {
  'conversation-moved': {
    log: ({ kind, formerHost, host, ...event }) => sessionLine(event, 'warn', moves[kind], { formerHost, host }),
    audit: ({ kind, formerHost, host, ...event }) => ({
      action: `conversation.${kind}`,
      subject: pairText(event),
      detail: { formerHost, host },
    }),
  },
  'log-records-lost': {
    log: ({ was, is, ...event }) =>
      sessionLine(event, 'warn', 'The servers between hosts have lost records of this conversation', { was, is }),
    audit: ({ was, is, ...event }) => ({
      action: 'conversation.records-lost',
      subject: pairText(event),
      detail: { was, is },
    }),
  },
  'servers-lost': {
    log: ({ what }) => ({
      context: 'cluster',
      level: 'warn',
      ids: {},
      message: `The servers between hosts had lost ${what}, which was created again`,
    }),
    audit: ({ what }) => ({ action: 'servers.lost', subject: what, detail: {} }),
  },
  'host-joined-team': {
    log: ({ team, host }) => ({
      context: 'cluster',
      level: 'warn',
      ids: { team, host },
      message: 'A new host shares a team with other hosts, and may get its messages',
    }),
    audit: ({ team, host }) => ({ action: 'host.joined', subject: team, detail: { host } }),
  },
  'turn-asks-elsewhere': {
    log: ({ what, ...event }) =>
      turnLine(
        event,
        'info',
        what === null ? 'No person is asked any more' : `A person is asked about ${cutCause(what)}`,
      ),
  },
}

const moves = {
  taken: 'The conversation was taken over from another host',
  lost: 'Another host has taken the conversation over: it ends here',
  sent: 'The host is away or has passed the conversation on: the message goes to another one',
} as const
