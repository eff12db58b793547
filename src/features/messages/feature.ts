import { feature } from '../../kernel/call/feature.ts'
import { type CancelParts, cancelTurn } from './handlers/cancel.ts'
import { type MessagesParts, status } from './handlers/messages.ts'
import { leaveNotice, type NoticesParts } from './handlers/notices.ts'
import { type ReportParts, report } from './handlers/report.ts'
import { type SendParts, send } from './handlers/send.ts'
import { type SessionWaitParts, waitForTeam } from './handlers/session-wait.ts'

type Needs = CancelParts & MessagesParts & NoticesParts & ReportParts & SendParts & SessionWaitParts

/** Sending a message to one team or several, its status and answer, its end; notices that wait for the next message. */
export const messages = feature('messages', (parts: Needs) => ({
  gives: {},
  handlers: {
    send_message: (input, call) => send(input, call, parts),
    ask_message: (input, call) => send(input, call, parts),
    quick_message: (input, call) => send({ ...input, timeout: -1 }, call, parts),
    message_status: (input, call) => status(input, call, parts),
    session_wait: (input, call) => waitForTeam(input, call, parts),
    session_cancel: (input, call) => cancelTurn(input, call, parts),
    session_report: (input, call) => report(input, call, parts),
    notify: (input, call) => leaveNotice(input, call, parts),
  },
}))
