import { feature } from '../../kernel/call/feature.ts'
import { type DeleteParts, deleteSession } from './handlers/delete.ts'
import { type ForkParts, forkSession } from './handlers/fork.ts'
import { type ListSessionsParts, list } from './handlers/list-sessions.ts'
import { type SessionStatsParts, stats } from './handlers/session-stats.ts'
import { type SessionTurnsParts, turnsOf } from './handlers/session-turns.ts'
import { failures } from './needs.ts'

type Needs = DeleteParts & ForkParts & ListSessionsParts & SessionStatsParts & SessionTurnsParts

/** Conversations: their lists and figures, what was said in one, forks, and their end. */
export const conversations = feature('conversations', (parts: Needs) => ({
  gives: {},
  needs: failures,
  handlers: {
    list_sessions: (input, call) => list(input, call, parts),
    session_stats: (input, call) => stats(input, call, parts),
    session_turns: (input) => turnsOf(input, parts),
    session_fork: (input, call) => forkSession(input, call, parts),
    session_delete: (input, call) => deleteSession(input, call, parts),
  },
}))
